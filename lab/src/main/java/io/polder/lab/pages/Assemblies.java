package io.polder.lab.pages;

import io.polder.lab.experiment.Quartiles;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What it costs to make 32 MiB contiguous: what {@link AssemblyJvm} tells its parent.
 *
 * <p>Not thread-safe.
 */
final class Assemblies {
    private final List<Turn> turns = new ArrayList<>();

    /**
     * One assembly in each way, in nanoseconds.
     *
     * @param remapNanos the library's calls
     * @param remapTouchNanos a word written in each OS page afterwards
     * @param mapNanos calls that unmap parts of a file and map them together
     * @param mapTouchNanos a word written in each OS page afterwards
     */
    record Turn(long remapNanos, long remapTouchNanos, long mapNanos, long mapTouchNanos) {
        /** How many it has. */
        static final int NUMBERS = 4;

        /** One line from which {@link #parse} makes the same turn. */
        String line() {
            return remapNanos + " " + remapTouchNanos + " " + mapNanos + " " + mapTouchNanos;
        }

        /**
         * Reads what {@link #line} wrote.
         *
         * @throws IllegalArgumentException if it is something else
         */
        static Turn parse(String line) {
            long[] numbers =
                    Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
            if (numbers.length != NUMBERS) {
                throw new IllegalArgumentException("a turn has four numbers: line=" + line);
            }
            return new Turn(numbers[0], numbers[1], numbers[2], numbers[3]);
        }
    }

    /** Takes in a line. */
    void accept(String line) {
        turns.add(Turn.parse(line));
    }

    /** How many turns there were. */
    int count() {
        return turns.size();
    }

    /** Quartiles of a time. */
    Quartiles of(ToDoubleFunction<Turn> nanos) {
        return Quartiles.of(values(nanos));
    }

    /** Unmap, map and first touch, for each remap, turn by turn. */
    Quartiles ratio() {
        return Quartiles.ofRatios(
                values(turn -> turn.mapNanos() + turn.mapTouchNanos()), values(Turn::remapNanos));
    }

    private double[] values(ToDoubleFunction<Turn> nanos) {
        return turns.stream().mapToDouble(nanos).toArray();
    }
}
