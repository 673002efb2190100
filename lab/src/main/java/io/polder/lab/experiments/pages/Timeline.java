package io.polder.lab.experiments.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Raw data: all points of a contender, as comma-separated values.
 *
 * <pre>{@code
 * pages-<contender>.csv:
 *   round,ns,part,small,medium,room,live,committed,free,ready,...
 *   1,103456789,1,671088640,234881024,...
 * }</pre>
 */
final class Timeline {
    private static final String SEPARATOR = ",";

    private Timeline() {}

    /** Writes a file, over one of an earlier run. */
    static void write(Path directory, Measurement measurement) throws IOException {
        Path file = directory.resolve("pages-" + measurement.contender().id() + ".csv");
        Files.write(file, lines(measurement.recordings()));
    }

    /** The lines of a file, one recording a round. */
    static List<String> lines(List<Recording> recordings) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "round,"
                        + Arrays.stream(Point.Value.values())
                                .map(Point.Value::id)
                                .collect(Collectors.joining(SEPARATOR)));
        for (int i = 0; i < recordings.size(); i++) {
            for (Point point : recordings.get(i).points()) {
                lines.add(
                        i
                                + 1
                                + SEPARATOR
                                + point.numbers().stream()
                                        .map(String::valueOf)
                                        .collect(Collectors.joining(SEPARATOR)));
            }
        }
        return lines;
    }
}
