package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.harness.Findings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    static void write(Path directory, Results results) throws IOException {
        List<String> times = new ArrayList<>(List.of("contender,workload,sample,ns"));
        for (Contender contender : Contender.timed(results.libraries())) {
            for (Workload workload : Workload.ALL) {
                for (int threads : workload.threads()) {
                    double[] samples = results.samples(contender, workload.with(threads));
                    for (int i = 0; i < samples.length; i++) {
                        times.add(
                                line(
                                        contender.id(),
                                        workload.with(threads),
                                        i + 1,
                                        String.format(Locale.ROOT, "%.2f", samples[i])));
                    }
                }
            }
        }
        List<String> peaks = new ArrayList<>(List.of("contender,workload,round,base,peak"));
        List<String> bursts =
                new ArrayList<>(List.of("contender,round,stage,seconds,rss,cgroup,committed"));
        for (String workload : BlocksMetrics.watched()) {
            for (Contender contender : Contender.weighed(results.libraries())) {
                int round = 0;
                for (Findings each : results.rounds(contender, workload)) {
                    round++;
                    peaks.add(
                            line(
                                    contender.owner(),
                                    workload,
                                    round,
                                    (long) each.median(MemoryJvm.BASE),
                                    (long) each.median(MemoryJvm.PEAK)));
                    for (Memory memory : each.points(Memory.class)) {
                        bursts.add(
                                line(
                                        contender.owner(),
                                        round,
                                        memory.stage(),
                                        String.format(Locale.ROOT, "%.3f", memory.seconds()),
                                        memory.rssBytes(),
                                        known(memory.cgroupBytes()),
                                        known(memory.committedBytes())));
                    }
                }
            }
        }
        Files.write(directory.resolve("blocks-time.csv"), times);
        Files.write(directory.resolve("blocks-peak.csv"), peaks);
        Files.write(directory.resolve("blocks-burst.csv"), bursts);
    }

    private static String known(long bytes) {
        return bytes < 0 ? "" : Long.toString(bytes);
    }

    private static String line(Object... cells) {
        List<String> words = new ArrayList<>();
        for (Object cell : cells) {
            words.add(cell.toString());
        }
        return String.join(",", words);
    }
}
