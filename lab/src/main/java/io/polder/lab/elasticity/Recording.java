package io.polder.lab.elasticity;

import io.polder.lab.experiment.Quartiles;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a measuring JVM told its parent, line by line: see {@link WorkloadJvm}. */
final class Recording {
    private static final long PAGE_BYTES = 4096;

    /** How a run ends. */
    private static final Set<Stage> LAST = EnumSet.of(Stage.END, Stage.STEADY);

    /** First word of a line with a map. */
    private static final String MAP = "map";

    /** Stands for the end of a line of a map, which has no such character. */
    private static final char LINE_END = '|';

    private final Map<Stage, String> maps = new EnumMap<>(Stage.class);
    private final List<Sample> samples = new ArrayList<>();
    private boolean done;

    /** One line that holds a map. */
    static String mapLine(Stage stage, String map) {
        return MAP + " " + stage.id() + " " + map.replace('\n', LINE_END);
    }

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
        } else if (line.startsWith(MAP + " ")) {
            String[] words = line.split(" ", 3);
            if (words.length < 3) {
                throw new IllegalArgumentException("a map has a stage and text: line=" + line);
            }
            maps.put(Stage.withId(words[1]), words[2].replace(LINE_END, '\n'));
        } else {
            samples.add(Sample.parse(line));
        }
    }

    /** Whether all is there. */
    boolean isComplete() {
        return done && samples.stream().anyMatch(sample -> LAST.contains(sample.stage()));
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

    /** The contender's map at a stage; empty if it has none. */
    String map(Stage stage) {
        return maps.getOrDefault(stage, "");
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
                                samples.stream()
                                        .filter(sample -> sample.stage() == Stage.STEADY)
                                        .mapToDouble(Sample::cpuNanos)
                                        .toArray())
                        .median()
                / 1e9;
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
