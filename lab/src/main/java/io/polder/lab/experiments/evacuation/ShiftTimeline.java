package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Findings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Raw data: all points of the size-shift workload on a contender, as comma-separated values.
 *
 * <pre>{@code
 * evacuation-<contender>.csv:
 *   phase,moment,nanos,living,live_bytes,rss_bytes,region_bytes,...
 *   a,during,103456789,180221,53687100,61341696,62914560,...
 * }</pre>
 *
 * <p>What a contender does not know is -1.
 */
final class ShiftTimeline {
    private static final String SEPARATOR = ",";

    private ShiftTimeline() {}

    /** Writes a file, over one of an earlier run. */
    static void write(Path directory, ShiftContender contender, Findings findings)
            throws IOException {
        Path file = directory.resolve("evacuation-" + contender.id() + ".csv");
        Files.write(file, lines(findings.points(ShiftPoint.class)));
    }

    static List<String> lines(List<ShiftPoint> points) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "phase,moment,"
                        + Arrays.stream(ShiftPoint.Value.values())
                                .map(ShiftPoint.Value::id)
                                .collect(Collectors.joining(SEPARATOR)));
        for (ShiftPoint point : points) {
            lines.add(
                    point.phase().id()
                            + SEPARATOR
                            + point.moment().id()
                            + SEPARATOR
                            + point.numbers().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(SEPARATOR)));
        }
        return lines;
    }
}
