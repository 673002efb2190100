package io.polder.lab.experiments.blocks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Sizes of blocks by their law: a table of sizes at equal distances, which is drawn from. Between
 * two quantiles of a law from the file the logarithm of sizes grows evenly. Immutable.
 */
final class BlockSizes {
    private static final String RESOURCE = "size-laws.txt";
    private static final String COMMENT = "#";
    private static final String LAW = "law ";

    /** A power of two; small enough to stay in the first cache beside what is measured. */
    private static final int TABLE = 1 << 11;

    /** Largest first bit of an int, so that an index comes from the upper bits of a number. */
    private static final int SHIFT = Long.SIZE - 11;

    private static final Map<String, BlockSizes> LAWS = read();

    private final int[] table;

    private BlockSizes(int[] table) {
        this.table = table;
    }

    /** All sizes of a range alike, both ends with them. */
    static BlockSizes uniform(int least, int most) {
        int[] table = new int[TABLE];
        Arrays.setAll(table, i -> least + (int) ((i + 0.5) / TABLE * (most - least + 1)));
        return new BlockSizes(table);
    }

    /** As many of each doubling, from least to most. */
    static BlockSizes logarithmic(int least, int most) {
        return quantiles(List.of(new double[] {0, least}, new double[] {1, most}));
    }

    /** Names of the laws that come with the lab. */
    static List<String> laws() {
        return List.copyOf(LAWS.keySet());
    }

    /**
     * A law that comes with the lab.
     *
     * @throws NullPointerException if there is none of that name
     */
    static BlockSizes law(String name) {
        return Objects.requireNonNull(LAWS.get(name), name);
    }

    /** A size, by a number of which all bits are random. */
    int at(long random) {
        return table[(int) (random >>> SHIFT)];
    }

    /** The mean of all sizes. */
    double mean() {
        return Arrays.stream(table).average().orElseThrow();
    }

    /** The smallest and the largest size. */
    List<Integer> ends() {
        return List.of(table[0], table[TABLE - 1]);
    }

    private static BlockSizes quantiles(List<double[]> rows) {
        int[] table = new int[TABLE];
        int upper = 1;
        for (int i = 0; i < TABLE; i++) {
            double quantile = (i + 0.5) / TABLE;
            while (rows.get(upper)[0] < quantile) {
                upper++;
            }
            double[] low = rows.get(upper - 1);
            double[] high = rows.get(upper);
            double share = (quantile - low[0]) / (high[0] - low[0]);
            table[i] = (int) Math.round(low[1] * Math.pow(high[1] / low[1], share));
        }
        return new BlockSizes(table);
    }

    private static Map<String, BlockSizes> read() {
        Map<String, List<double[]>> rows = new LinkedHashMap<>();
        List<double[]> current = new ArrayList<>();
        try (InputStream in =
                        Objects.requireNonNull(BlockSizes.class.getResourceAsStream(RESOURCE));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line : reader.lines().toList()) {
                String[] words = line.split(" ", -1);
                if (line.startsWith(LAW)) {
                    current = new ArrayList<>();
                    rows.put(words[1], current);
                } else if (!line.startsWith(COMMENT)) {
                    current.add(
                            new double[] {
                                Double.parseDouble(words[0]), Double.parseDouble(words[1])
                            });
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, BlockSizes> laws = new LinkedHashMap<>();
        rows.forEach((name, quantiles) -> laws.put(name, quantiles(quantiles)));
        return laws;
    }
}
