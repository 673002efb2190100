package io.polder.lab.confined;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleConsumer;

/**
 * What a measuring JVM tells its parent, line by line.
 *
 * <pre>{@code
 * progress SHARE                   how much of its time is over, 0 to 1
 * sample CONTENDER NANOSECONDS     one batch: time of one operation
 * heap BYTES                       Java heap that one operation on Polder takes
 * cpu SHARE                        processors that it got while it measured, 1 if it was alone
 * done                             nothing is missing
 * }</pre>
 *
 * <p>The samples with the same number, one of each contender, are one round.
 */
final class Samples {
    private static final String PROGRESS = "progress";
    private static final String SAMPLE = "sample";
    private static final String HEAP = "heap";
    private static final String CPU = "cpu";
    private static final String DONE = "done";

    private final Map<Contender, List<Double>> nanos = new EnumMap<>(Contender.class);
    private final DoubleConsumer progress;
    private OptionalDouble heapBytesPerOp = OptionalDouble.empty();
    private OptionalDouble cpuShare = OptionalDouble.empty();
    private boolean done;

    /** Creates samples; {@code progress} hears how much of the time is over. */
    Samples(DoubleConsumer progress) {
        this.progress = progress;
    }

    static String progressLine(double share) {
        return PROGRESS + " " + share;
    }

    static String sampleLine(Contender contender, double nanos) {
        return SAMPLE + " " + contender + " " + nanos;
    }

    static String heapLine(double bytes) {
        return HEAP + " " + bytes;
    }

    static String cpuLine(double share) {
        return CPU + " " + share;
    }

    static String doneLine() {
        return DONE;
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
            nanos.computeIfAbsent(contender(words[1], line), _ -> new ArrayList<>())
                    .add(number(words[2], line));
        } else if (words[0].equals(HEAP) && words.length == 2) {
            heapBytesPerOp = OptionalDouble.of(number(words[1], line));
        } else if (words[0].equals(CPU) && words.length == 2) {
            cpuShare = OptionalDouble.of(number(words[1], line));
        } else if (line.equals(DONE)) {
            done = true;
        } else {
            throw unexpected(line);
        }
    }

    /** Whether all is there: every contender in every round, at least one round, the rest once. */
    boolean isComplete(List<Contender> contenders) {
        return done
                && heapBytesPerOp.isPresent()
                && cpuShare.isPresent()
                && nanos.keySet().containsAll(contenders)
                && nanos.values().stream().mapToInt(List::size).distinct().count() == 1;
    }

    /** Rounds measured. */
    int rounds() {
        return nanos.values().stream().mapToInt(List::size).min().orElse(0);
    }

    /** Nanoseconds of one operation, one value per round. */
    double[] nanos(Contender contender) {
        return nanos.getOrDefault(contender, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    /** Bytes of Java heap that one operation on Polder takes. */
    double heapBytesPerOp() {
        return heapBytesPerOp.orElseThrow();
    }

    /** Processors that the JVM got while it measured: about 1 if it was alone on the machine. */
    double cpuShare() {
        return cpuShare.orElseThrow();
    }

    private static Contender contender(String name, String line) {
        for (Contender contender : Contender.values()) {
            if (contender.name().equals(name)) {
                return contender;
            }
        }
        throw unexpected(line);
    }

    private static double number(String word, String line) {
        try {
            double number = Double.parseDouble(word);
            if (Double.isFinite(number) && number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw unexpected(line);
    }

    private static IllegalArgumentException unexpected(String line) {
        return new IllegalArgumentException("unexpected line: line=" + line);
    }
}
