package io.polder.lab.evacuation;

import io.polder.lab.experiment.Quartiles;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;
import java.util.zip.DataFormatException;

/**
 * What a measuring JVM tells its parent, line by line.
 *
 * <pre>{@code
 * progress SHARE            how much of its work is done, 0 to 1
 * sample NAME VALUE         one value of a figure; those with the same number are one round
 * latencies NAME HISTFA...  nanoseconds, compressed; added up
 * point PHASE MOMENT ...    see ShiftPoint
 * done                      nothing is missing
 * }</pre>
 *
 * <p>Not thread-safe.
 */
final class Findings {
    /** The last line. */
    static final String DONE = "done";

    private static final String PROGRESS = "progress";
    private static final String SAMPLE = "sample";
    private static final String LATENCIES = "latencies";
    private static final String POINT = "point";

    private final Map<String, List<Double>> samples = new TreeMap<>();
    private final Map<String, Histogram> latencies = new TreeMap<>();
    private final List<ShiftPoint> points = new ArrayList<>();
    private final DoubleConsumer progress;
    private int done;

    /** Creates findings; {@code progress} hears how much is done. */
    Findings(DoubleConsumer progress) {
        this.progress = progress;
    }

    static String progressLine(double share) {
        return PROGRESS + " " + share;
    }

    static String sampleLine(String name, double value) {
        return SAMPLE + " " + name + " " + value;
    }

    static String latenciesLine(String name, Histogram nanos) {
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        int length = nanos.encodeIntoCompressedByteBuffer(bytes);
        String encoded = Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
        return LATENCIES + " " + name + " " + encoded;
    }

    static String pointLine(ShiftPoint point) {
        return POINT + " " + point.line();
    }

    /**
     * Takes in a line.
     *
     * @throws IllegalArgumentException if it is none of those above
     */
    void accept(String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals(PROGRESS) && words.length == 2) {
            progress.accept(number(words[1], line));
        } else if (words[0].equals(SAMPLE) && words.length == 3) {
            samples.computeIfAbsent(words[1], _ -> new ArrayList<>()).add(number(words[2], line));
        } else if (words[0].equals(LATENCIES) && words.length == 3) {
            Histogram histogram = decode(words[2], line);
            latencies.merge(words[1], histogram, Findings::sum);
        } else if (words[0].equals(POINT)) {
            points.add(ShiftPoint.parse(line.substring(POINT.length() + 1)));
        } else if (line.equals(DONE)) {
            done++;
        } else {
            throw unexpected(line, null);
        }
    }

    /** How many JVMs have told all they had. */
    int complete() {
        return done;
    }

    /** Whether there is such a figure. */
    boolean has(String name) {
        return samples.containsKey(name);
    }

    /**
     * All values of a figure, one a round.
     *
     * @throws IllegalArgumentException if there are none
     */
    double[] samples(String name) {
        List<Double> values = samples.get(name);
        if (values == null) {
            throw new IllegalArgumentException(
                    "a figure must have been measured: name=" + name + ", there=" + samples);
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The middle of a figure and its spread. */
    Quartiles quartiles(String name) {
        return Quartiles.of(samples(name));
    }

    /** The middle of a figure. */
    double median(String name) {
        return quartiles(name).median();
    }

    /** The largest value of a figure. */
    double max(String name) {
        return Arrays.stream(samples(name)).max().orElseThrow();
    }

    /** All values of a figure together. */
    double sum(String name) {
        return Arrays.stream(samples(name)).sum();
    }

    /** One figure over another, round by round. */
    Quartiles ratio(String numerator, String denominator) {
        return Quartiles.ofRatios(samples(numerator), samples(denominator));
    }

    /** One figure less another, round by round. */
    Quartiles difference(String one, String other) {
        double[] differences = samples(one);
        double[] others = samples(other);
        if (differences.length != others.length) {
            throw new IllegalArgumentException(
                    "figures of rounds must be as many: one=" + one + ", other=" + other);
        }
        for (int i = 0; i < differences.length; i++) {
            differences[i] -= others[i];
        }
        return Quartiles.of(differences);
    }

    /**
     * Latencies in nanoseconds.
     *
     * @throws IllegalArgumentException if there are none
     */
    Histogram latencies(String name) {
        Histogram histogram = latencies.get(name);
        if (histogram == null) {
            throw new IllegalArgumentException("latencies must have been measured: name=" + name);
        }
        return histogram;
    }

    /** All points, in the order of time. */
    List<ShiftPoint> points() {
        return List.copyOf(points);
    }

    private static Histogram decode(String encoded, String line) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException e) {
            throw unexpected(line, e);
        }
    }

    private static Histogram sum(Histogram one, Histogram other) {
        one.add(other);
        return one;
    }

    private static double number(String word, String line) {
        try {
            double number = Double.parseDouble(word);
            if (Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw unexpected(line, e);
        }
        throw unexpected(line, null);
    }

    private static IllegalArgumentException unexpected(String line, @Nullable Throwable cause) {
        return new IllegalArgumentException("unexpected line: line=" + line, cause);
    }
}
