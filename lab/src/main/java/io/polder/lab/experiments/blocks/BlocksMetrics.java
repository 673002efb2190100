package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of the blocks experiment, and their names, which are the same for every run on a
 * machine with the same libraries and as many processors.
 *
 * <pre>{@code
 * blocks.<workload>.t<threads>.time_ratio.<library>   malloc's time / Polder's, the better call
 * blocks.<workload>.peak_rss_ratio.<library>          malloc's growth of RSS / Polder's
 * blocks.burst.idle_rss_ratio.<library>               the same when nobody calls any more
 * blocks.single.ns                                    Polder allocates and frees 64 B
 * blocks.heap_bytes_per_op, .metadata_over_committed  Java heap of Polder
 * blocks.final_committed_bytes                        Polder, all free, trimmed; the worst
 * }</pre>
 */
final class BlocksMetrics {
    private static final String PREFIX = "blocks.";

    private BlocksMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names(List<MallocLibrary> libraries) {
        List<String> names = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                libraries.forEach(each -> names.add(time(workload.with(threads), each)));
            }
        }
        for (String workload : watched()) {
            libraries.forEach(each -> names.add(peak(workload, each)));
        }
        libraries.forEach(each -> names.add(idle(each)));
        names.add(PREFIX + Workload.SINGLE + ".ns");
        names.add(PREFIX + "heap_bytes_per_op");
        names.add(PREFIX + "metadata_over_committed");
        names.add(PREFIX + "final_committed_bytes");
        return names;
    }

    /** Workloads whose peak of resident memory is looked at. */
    static List<String> watched() {
        List<String> watched = new ArrayList<>();
        Workload.ALL.stream()
                .filter(Workload::weighed)
                .forEach(workload -> watched.add(workload.id()));
        watched.add(Burst.ID);
        return watched;
    }

    /** Metrics of what was measured. */
    static List<Metric> of(Results results) {
        List<Metric> metrics = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            for (int threads : workload.threads()) {
                String with = workload.with(threads);
                for (MallocLibrary library : results.libraries()) {
                    metrics.add(
                            new Metric(
                                    time(with, library),
                                    results.timeRatio(library, with),
                                    Metric.TIMES,
                                    Better.HIGHER));
                }
            }
        }
        for (String workload : watched()) {
            for (MallocLibrary library : results.libraries()) {
                metrics.add(
                        new Metric(
                                peak(workload, library),
                                results.peakRatio(library, workload),
                                Metric.TIMES,
                                Better.HIGHER));
            }
        }
        for (MallocLibrary library : results.libraries()) {
            metrics.add(
                    new Metric(
                            idle(library),
                            results.idleRatio(library),
                            Metric.TIMES,
                            Better.HIGHER));
        }
        metrics.add(
                new Metric(
                        PREFIX + Workload.SINGLE + ".ns",
                        results.nanos(Contender.POLDER, single()),
                        "ns",
                        Better.LOWER));
        metrics.add(
                new Metric(
                        PREFIX + "heap_bytes_per_op",
                        results.heapBytesPerOperation(),
                        "B",
                        Better.LOWER));
        metrics.add(
                new Metric(
                        PREFIX + "metadata_over_committed",
                        results.metadata(),
                        Metric.TIMES,
                        Better.LOWER));
        metrics.add(
                new Metric(
                        PREFIX + "final_committed_bytes",
                        results.finalCommittedBytes(),
                        "B",
                        Better.LOWER));
        return metrics;
    }

    /** The workload with a goal in nanoseconds. */
    static String single() {
        return Workload.withId(Workload.SINGLE).with(1);
    }

    private static String time(String with, MallocLibrary library) {
        return PREFIX + with + ".time_ratio." + library.id();
    }

    private static String peak(String workload, MallocLibrary library) {
        return PREFIX + workload + ".peak_rss_ratio." + library.id();
    }

    private static String idle(MallocLibrary library) {
        return PREFIX + Burst.ID + ".idle_rss_ratio." + library.id();
    }
}
