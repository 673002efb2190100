package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.Workload.Timed;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metrics;

import java.util.List;
import java.util.stream.Stream;

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
        return all(libraries).names();
    }

    /** Metrics of what was measured. */
    static List<Metric> of(Results results) {
        return all(results.libraries()).of(results);
    }

    private static Metrics<Results> all(List<MallocLibrary> libraries) {
        Metrics<Results> all = new Metrics<>();
        for (Timed timed : Workload.TIMED) {
            for (MallocLibrary library : libraries) {
                all.ratio(
                        PREFIX + timed.id() + ".time_ratio." + library.id(),
                        found -> found.timeRatio(library, timed.id()));
            }
        }
        for (String workload : watched()) {
            for (MallocLibrary library : libraries) {
                all.ratio(
                        PREFIX + workload + ".peak_rss_ratio." + library.id(),
                        found -> found.peakRatio(library, workload));
            }
        }
        for (MallocLibrary library : libraries) {
            all.ratio(
                    PREFIX + Burst.ID + ".idle_rss_ratio." + library.id(),
                    found -> found.idleRatio(library));
        }
        return all.lower(
                        PREFIX + Workload.SINGLE + ".ns",
                        "ns",
                        found -> found.nanos(Contender.POLDER, single()))
                .lower(PREFIX + "heap_bytes_per_op", "B", Results::heapBytesPerOperation)
                .lower(PREFIX + "metadata_over_committed", Metric.TIMES, Results::metadata)
                .lower(PREFIX + "final_committed_bytes", "B", Results::finalCommittedBytes);
    }

    /** Workloads whose peak of resident memory is looked at. */
    static List<String> watched() {
        return Stream.concat(
                        Workload.ALL.stream().filter(Workload::weighed).map(Workload::id),
                        Stream.of(Burst.ID))
                .toList();
    }

    /** The workload with a goal in nanoseconds. */
    static String single() {
        return Workload.withId(Workload.SINGLE).with(1);
    }
}
