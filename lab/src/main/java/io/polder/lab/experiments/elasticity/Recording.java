package io.polder.lab.experiments.elasticity;

import io.polder.PoolMap;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.harness.Wire;

import java.util.List;
import java.util.Optional;

/**
 * A run of a workload on a contender.
 *
 * @param findings {@link Sample}s as points, and maps as texts, in JSON
 */
record Recording(Findings findings) {
    private static final long PAGE_BYTES = 4096;

    /** Name of the contender's map at a stage. */
    static String map(Stage stage) {
        return "map." + stage.id();
    }

    /** All samples, in the order of time. */
    List<Sample> samples() {
        return findings.points(Sample.class);
    }

    /**
     * The last sample of a stage.
     *
     * @throws IllegalArgumentException if there is none
     */
    Sample at(Stage stage) {
        return samples().reversed().stream()
                .filter(sample -> sample.stage() == stage)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such sample: stage=" + stage));
    }

    /** The contender's map at a stage, if it has one. */
    Optional<PoolMap> mapAt(Stage stage) {
        return Optional.of(findings.text(map(stage)))
                .filter(text -> !text.isEmpty())
                .map(text -> Wire.read(text, PoolMap.class));
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

    /**
     * Seconds of processors that a cycle of a {@link SteadyRun} takes, the median.
     *
     * @throws IllegalArgumentException if this was none
     */
    double steadySeconds() {
        return Quartiles.of(
                                samples().stream()
                                        .filter(sample -> sample.stage() == Stage.STEADY)
                                        .mapToDouble(Sample::cpuNanos)
                                        .toArray())
                        .median()
                / 1e9;
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
        return samples().stream().mapToLong(sample -> sample.maps() - base).max().orElse(0);
    }
}
