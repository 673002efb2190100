package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.RawData;
import io.polder.tools.terminal.UnwrittenException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A workload with what was measured of it.
 *
 * @param workload as it was run
 * @param recordings of each contender, one a round, from the first round on
 */
record Measurement(Workload workload, Map<Contender, List<Recording>> recordings) {
    /** Copies the map. */
    Measurement {
        recordings = Map.copyOf(recordings);
    }

    /** Whether a contender was measured. */
    boolean has(Contender contender) {
        return recordings.containsKey(contender);
    }

    /**
     * What a contender did in the first round.
     *
     * @throws IllegalArgumentException if it was not measured
     */
    Recording first(Contender contender) {
        List<Recording> all = recordings.get(contender);
        if (all == null) {
            throw new IllegalArgumentException("no such contender: id=" + contender.id());
        }
        return all.getFirst();
    }

    /** A figure of a contender, median over the rounds. */
    double median(Contender contender, ToDoubleFunction<Recording> figure) {
        return Quartiles.of(figures(contender, figure)).median();
    }

    /** The largest of a figure of a contender. */
    double max(Contender contender, ToDoubleFunction<Recording> figure) {
        return Arrays.stream(figures(contender, figure)).max().orElseThrow();
    }

    /** Bytes that Polder has committed for each byte that owners asked for. */
    double committedOverUsed(Stage stage) {
        return median(Contender.POLDER, recording -> recording.committedOverUsed(stage));
    }

    /** Bytes that owners asked Polder for. */
    double usedBytes(Stage stage) {
        return median(Contender.POLDER, recording -> recording.at(stage).usedBytes());
    }

    /** What Polder keeps committed without any owner, in the worst round. */
    double endBytes() {
        return max(Contender.POLDER, recording -> recording.at(Stage.END).committedBytes());
    }

    /** The most mappings that Polder added to the process, in the worst round. */
    double mapsMax() {
        return max(Contender.POLDER, Recording::mapsAdded);
    }

    /**
     * All samples of a contender, each behind the number of its round. A number that nobody knows
     * is left empty. Bytes are bytes of the whole process, not what they have grown by.
     */
    RawData rawData(Contender contender) {
        List<String> names = new ArrayList<>(List.of("round", "stage"));
        names.addAll(Sample.NUMBERS);
        RawData data = new RawData(names);
        int round = 0;
        for (Recording recording : recordings.getOrDefault(contender, List.of())) {
            round++;
            for (Sample sample : recording.samples()) {
                List<Object> row = new ArrayList<>(List.of(round, sample.stage().id()));
                sample.numbers().forEach(number -> row.add(number == Sample.UNKNOWN ? "" : number));
                data.row(row);
            }
        }
        return data;
    }

    /** Writes a file for each contender that was measured, over files of earlier runs. */
    void writeRawData(Path directory) throws UnwrittenException {
        for (Contender contender : recordings.keySet()) {
            rawData(contender).write(directory, workload.id() + "-" + contender.id() + ".csv");
        }
    }

    /** How many times a contender's figure is another one's, round by round. */
    Quartiles ratio(Contender contender, Contender other, ToDoubleFunction<Recording> figure) {
        return Quartiles.ofRatios(figures(contender, figure), figures(other, figure));
    }

    private double[] figures(Contender contender, ToDoubleFunction<Recording> figure) {
        return recordings.getOrDefault(contender, List.of()).stream().mapToDouble(figure).toArray();
    }
}
