package io.polder.lab.experiments.evacuation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Sizes of values as caches have them: most are small, half of all bytes are in few large ones.
 *
 * <pre>{@code
 *   bytes                      |          quantiles from a file, and between two of them
 *                             /           bytes = lower * (upper / lower) ^ share
 *                          __/
 *   ___________.----------'
 *   0                          1
 * }</pre>
 *
 * <p>A table of sizes at equal distances is drawn from: one read instead of a search and a power.
 * Immutable.
 */
final class ValueSizes {
    private static final String RESOURCE = "value-sizes.txt";
    private static final String COMMENT = "#";

    /** A power of two, and enough that the largest sizes are in it. */
    private static final int TABLE = 1 << 16;

    private final int[] table;

    private ValueSizes(double[] quantiles, double[] bytes) {
        table = new int[TABLE];
        for (int i = 0; i < TABLE; i++) {
            table[i] = (int) Math.round(at((i + 0.5) / TABLE, quantiles, bytes));
        }
    }

    /** The sizes of Meta's workload kvcache_reg. */
    static ValueSizes ofCache() {
        List<double[]> rows;
        try (InputStream in =
                        Objects.requireNonNull(ValueSizes.class.getResourceAsStream(RESOURCE));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            rows =
                    reader.lines()
                            .filter(line -> !line.startsWith(COMMENT))
                            .map(line -> row(line))
                            .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ValueSizes(
                rows.stream().mapToDouble(row -> row[0]).toArray(),
                rows.stream().mapToDouble(row -> row[1]).toArray());
    }

    /** A size. */
    int next(SplittableRandom random) {
        return table[random.nextInt() & TABLE - 1];
    }

    /** The mean of all sizes. */
    double mean() {
        return Arrays.stream(table).average().orElseThrow();
    }

    /** The largest size. */
    int max() {
        return table[TABLE - 1];
    }

    private static double[] row(String line) {
        String[] words = line.split(" ", -1);
        return new double[] {Double.parseDouble(words[0]), Double.parseDouble(words[1])};
    }

    private static double at(double quantile, double[] quantiles, double[] bytes) {
        int upper = 1;
        while (quantiles[upper] < quantile) {
            upper++;
        }
        double share =
                (quantile - quantiles[upper - 1]) / (quantiles[upper] - quantiles[upper - 1]);
        return bytes[upper - 1] * Math.pow(bytes[upper] / bytes[upper - 1], share);
    }
}
