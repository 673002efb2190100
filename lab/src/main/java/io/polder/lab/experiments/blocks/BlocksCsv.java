package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.experiments.blocks.Workload.Timed;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Format;
import io.polder.lab.report.RawData;
import io.polder.tools.terminal.UnwrittenException;

import java.nio.file.Path;
import java.util.List;

/**
 * Raw data: all samples, as comma-separated values, over files of earlier runs.
 *
 * <pre>{@code
 * blocks-time.csv:    contender,workload,sample,ns
 * blocks-peak.csv:    contender,workload,round,base,peak
 * blocks-burst.csv:   contender,round,stage,seconds,rss,cgroup,committed
 * }</pre>
 *
 * <p>What nobody knows is left empty. Bytes are of the whole process.
 */
final class BlocksCsv {
    private BlocksCsv() {}

    static void write(Path directory, Results results) throws UnwrittenException {
        RawData times = new RawData(List.of("contender", "workload", "sample", "ns"));
        for (Contender contender : Contender.timed(results.libraries())) {
            for (Timed timed : Workload.TIMED) {
                double[] samples = results.samples(contender, timed.id());
                for (int i = 0; i < samples.length; i++) {
                    String nanos = Format.fixed(2, samples[i]);
                    times.row(List.of(contender.id(), timed.id(), i + 1, nanos));
                }
            }
        }
        RawData peaks = new RawData(List.of("contender", "workload", "round", "base", "peak"));
        RawData bursts =
                new RawData(
                        List.of(
                                "contender",
                                "round",
                                "stage",
                                "seconds",
                                "rss",
                                "cgroup",
                                "committed"));
        for (String workload : BlocksMetrics.watched()) {
            for (Contender contender : Contender.weighed(results.libraries())) {
                List<Findings> rounds = results.rounds(contender, workload);
                for (int i = 0; i < rounds.size(); i++) {
                    Findings round = rounds.get(i);
                    long base = (long) round.median(MemoryJvm.BASE);
                    long peak = (long) round.median(MemoryJvm.PEAK);
                    peaks.row(List.of(contender.owner(), workload, i + 1, base, peak));
                    for (Memory memory : round.points(Memory.class)) {
                        bursts.row(
                                List.of(
                                        contender.owner(),
                                        i + 1,
                                        memory.stage(),
                                        Format.fixed(3, memory.seconds()),
                                        memory.rssBytes(),
                                        known(memory.cgroupBytes()),
                                        known(memory.committedBytes())));
                    }
                }
            }
        }
        times.write(directory, "blocks-time.csv");
        peaks.write(directory, "blocks-peak.csv");
        bursts.write(directory, "blocks-burst.csv");
    }

    private static String known(long bytes) {
        return bytes < 0 ? "" : Long.toString(bytes);
    }
}
