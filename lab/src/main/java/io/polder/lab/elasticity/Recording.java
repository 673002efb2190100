package io.polder.lab.elasticity;

import java.util.ArrayList;
import java.util.List;

/** What a measuring JVM told its parent, line by line: see {@link WorkloadJvm}. */
final class Recording {
    private static final long PAGE_BYTES = 4096;

    private final List<Sample> samples = new ArrayList<>();
    private boolean done;

    /**
     * Takes in a line.
     *
     * @throws IllegalArgumentException if it is none that a measuring JVM writes
     */
    void accept(String line) {
        if (done) {
            throw new IllegalArgumentException("nothing follows the end: line=" + line);
        }
        if (line.startsWith(WorkloadJvm.DONE + " ")) {
            done = true;
        } else {
            samples.add(Sample.parse(line));
        }
    }

    /** Whether all is there. */
    boolean isComplete() {
        return done && samples.stream().anyMatch(sample -> sample.stage() == Stage.END);
    }

    /** All samples, in the order of time. */
    List<Sample> samples() {
        return List.copyOf(samples);
    }

    /**
     * The last sample of a stage.
     *
     * @throws IllegalArgumentException if there is none
     */
    Sample at(Stage stage) {
        return samples.reversed().stream()
                .filter(sample -> sample.stage() == stage)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such sample: stage=" + stage));
    }

    /** Seconds of loading. */
    double loadSeconds() {
        return at(Stage.END).loadNanos() / 1e9;
    }

    /** Seconds of unloading, with what was spent on asking memory back. */
    double unloadSeconds() {
        return at(Stage.END).unloadNanos() / 1e9;
    }

    /** Seconds of processors that went into both. */
    double cpuSeconds() {
        return at(Stage.END).cpuNanos() / 1e9;
    }

    /** Seconds of both. */
    double seconds() {
        return loadSeconds() + unloadSeconds();
    }

    /**
     * What the resident set has grown by since nothing was loaded; at least a page, so that it can
     * be divided by.
     */
    double rssGrowth(Stage stage) {
        return (double) Math.max(PAGE_BYTES, at(stage).rssBytes() - at(Stage.BASE).rssBytes());
    }

    /** Bytes committed for each byte that owners asked for. */
    double committedOverUsed(Stage stage) {
        return at(stage).committedBytes() / (double) at(stage).usedBytes();
    }

    /** The most mappings that the process had beyond those before anything was loaded. */
    long mapsAdded() {
        long base = at(Stage.BASE).maps();
        return samples.stream().mapToLong(sample -> sample.maps() - base).max().orElse(0);
    }
}
