package io.polder.lab.harness;

import com.fasterxml.jackson.databind.JsonNode;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;

/**
 * What one or several measuring JVMs found: samples, latencies, points and texts, each under its
 * name and in the order in which they came. Not thread-safe.
 */
public final class Findings implements Sampler {
    private final Map<String, List<Double>> samples = new TreeMap<>();
    private final Map<String, Histogram> latencies = new TreeMap<>();
    private final Map<String, String> texts = new TreeMap<>();
    private final List<JsonNode> points = new ArrayList<>();
    private final DoubleConsumer progress;
    private int complete;

    /** Creates findings whose progress nobody hears of. */
    public Findings() {
        this(_ -> {});
    }

    /** Creates findings; {@code progress} hears how much of its work a JVM has done. */
    public Findings(DoubleConsumer progress) {
        this.progress = progress;
    }

    /**
     * Takes in what a {@link MeasuringMain} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    void accept(String line) {
        switch (Wire.read(line, Message.class)) {
            case Message.Progress told -> progress.accept(told.share());
            case Message.Sample told -> sample(told.name(), told.value());
            case Message.Latencies told -> latencies(told.name(), Nanos.decode(told.nanos()));
            case Message.Point told -> points.add(told.values());
            case Message.Text told -> texts.put(told.name(), told.text());
            case Message.End _ -> complete++;
        }
    }

    @Override
    public void sample(String name, double value) {
        samples.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
    }

    @Override
    public void latencies(String name, Histogram nanos) {
        latencies.computeIfAbsent(name, _ -> Nanos.histogram()).add(nanos);
    }

    @Override
    public void point(Record values) {
        points.add(Wire.tree(values));
    }

    @Override
    public void text(String name, String text) {
        texts.put(name, text);
    }

    @Override
    public void progress(double share) {
        progress.accept(share);
    }

    /** How many JVMs have told all they had. */
    int complete() {
        return complete;
    }

    /** Whether there is such a figure. */
    public boolean has(String name) {
        return samples.containsKey(name);
    }

    /**
     * All values of a figure, in the order in which they came.
     *
     * @throws IllegalArgumentException if there are none
     */
    public double[] samples(String name) {
        List<Double> values = samples.get(name);
        if (values == null) {
            throw new IllegalArgumentException(
                    "a figure must have been measured: name="
                            + name
                            + ", there="
                            + samples.keySet());
        }
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The middle of a figure and its spread. */
    public Quartiles quartiles(String name) {
        return Quartiles.of(samples(name));
    }

    /** The middle of a figure. */
    public double median(String name) {
        return quartiles(name).median();
    }

    /** The largest value of a figure. */
    public double max(String name) {
        return Arrays.stream(samples(name)).max().orElseThrow();
    }

    /** All values of a figure together. */
    public double sum(String name) {
        return Arrays.stream(samples(name)).sum();
    }

    /** One figure over another, round by round. */
    public Quartiles ratio(String numerator, String denominator) {
        return Quartiles.ofRatios(samples(numerator), samples(denominator));
    }

    /** One figure less another, round by round. */
    public Quartiles difference(String one, String other) {
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
    public Histogram latencies(String name) {
        Histogram histogram = latencies.get(name);
        if (histogram == null) {
            throw new IllegalArgumentException("latencies must have been measured: name=" + name);
        }
        return histogram;
    }

    /**
     * All points, in the order in which they came.
     *
     * @throws IllegalArgumentException if one is of another type
     */
    public <T extends Record> List<T> points(Class<T> type) {
        return points.stream().map(values -> Wire.read(values, type)).toList();
    }

    /** A text; empty if there is none. */
    public String text(String name) {
        return texts.getOrDefault(name, "");
    }
}
