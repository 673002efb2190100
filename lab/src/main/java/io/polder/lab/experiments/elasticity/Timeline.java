package io.polder.lab.experiments.elasticity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Raw data: all samples of a workload on a contender, as comma-separated values.
 *
 * <pre>{@code
 * <workload>-<contender>.csv:
 *   round,stage,load_ns,unload_ns,cpu_ns,used,committed,rss,cgroup,maps
 *   1,base,0,0,0,0,,71344128,210030592,158
 * }</pre>
 *
 * <p>A number that nobody knows is left empty. Bytes are bytes of the whole process, not what they
 * have grown by.
 */
final class Timeline {
    private static final String SEPARATOR = ",";

    private Timeline() {}

    /** Writes a file for each contender that was measured, over files of earlier runs. */
    static void write(Path directory, Measurement measurement) throws IOException {
        for (Contender contender : measurement.recordings().keySet()) {
            Path file =
                    directory.resolve(measurement.workload().id() + "-" + contender.id() + ".csv");
            Files.write(file, lines(measurement.recordings().getOrDefault(contender, List.of())));
        }
    }

    /** The lines of a file, one recording a round. */
    static List<String> lines(List<Recording> recordings) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "round" + SEPARATOR + "stage" + SEPARATOR + String.join(SEPARATOR, Sample.NUMBERS));
        for (int i = 0; i < recordings.size(); i++) {
            for (Sample sample : recordings.get(i).samples()) {
                String numbers =
                        sample.numbers().stream()
                                .map(number -> number == Sample.UNKNOWN ? "" : number.toString())
                                .collect(Collectors.joining(SEPARATOR));
                lines.add(i + 1 + SEPARATOR + sample.stage().id() + SEPARATOR + numbers);
            }
        }
        return lines;
    }
}
