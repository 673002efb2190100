package io.polder.lab.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How large things are, by quantiles; the lab has a file of such laws. Immutable.
 *
 * <pre>{@code
 *   bytes                             |    between two quantiles
 *                                    /     bytes = lower * (upper / lower) ^ share
 *                                 __/
 *            ___________.----------'
 *   0                               1
 * }</pre>
 */
public final class SizeLaw {
    private static final String RESOURCE = "size-laws.txt";
    private static final String COMMENT = "#";
    private static final String LAW = "law ";
    private static final Map<String, SizeLaw> ALL = read();

    /** Of each quantile its share and its size, the smallest first. */
    private final List<double[]> quantiles;

    private SizeLaw(List<double[]> quantiles) {
        this.quantiles = quantiles;
    }

    /** Names of the laws that come with the lab. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * A law that comes with the lab.
     *
     * @throws NullPointerException if there is none of that name
     */
    public static SizeLaw named(String name) {
        return Objects.requireNonNull(ALL.get(name), name);
    }

    /** As many of each doubling, from least to most. */
    public static SizeLaw logarithmic(int least, int most) {
        return new SizeLaw(List.of(new double[] {0, least}, new double[] {1, most}));
    }

    /** So many sizes at equal distances, the smallest first: to be drawn from. */
    public int[] table(int length) {
        int[] table = new int[length];
        int upper = 1;
        for (int i = 0; i < length; i++) {
            double quantile = (i + 0.5) / length;
            while (quantiles.get(upper)[0] < quantile) {
                upper++;
            }
            double[] low = quantiles.get(upper - 1);
            double[] high = quantiles.get(upper);
            double share = (quantile - low[0]) / (high[0] - low[0]);
            table[i] = (int) Math.round(low[1] * Math.pow(high[1] / low[1], share));
        }
        return table;
    }

    private static Map<String, SizeLaw> read() {
        Map<String, SizeLaw> laws = new LinkedHashMap<>();
        List<double[]> current = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(SizeLaw.class.getResourceAsStream(RESOURCE));
                BufferedReader reader =
                        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line : reader.lines().toList()) {
                String[] words = line.split(" ", -1);
                if (line.startsWith(LAW)) {
                    current = new ArrayList<>();
                    laws.put(words[1], new SizeLaw(current));
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
        return laws;
    }
}
