package io.polder.lab.experiments.replay;

import io.polder.lab.harness.InputException;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A log of {@code -Xlog:metaspace*=trace}, read as a stream: a line is forgotten once it is passed
 * on.
 *
 * <p>The last line of the last part may be cut, as it is when the JVM was killed or still runs: it
 * is left out then. Anywhere else an incomplete line is an error.
 *
 * @param parts its files, in the order in which they were written
 */
record MetaspaceLog(List<Path> parts) {
    /**
     * How far back the time may go from one part to the next: lines are written a little after
     * their time was taken. A guess, much shorter than a run of a JVM.
     */
    private static final long DISORDER_NANOS = 100_000_000;

    /** Receives what the lines say. */
    interface Sink {
        /**
         * Receives an event.
         *
         * @throws BrokenLogException if it cannot follow the ones before
         */
        void accept(ArenaEvent event) throws BrokenLogException;
    }

    /**
     * What was read.
     *
     * @param lines in all parts
     * @param cut whether the last line was cut, and left out
     */
    record Extent(long lines, boolean cut) {}

    /** Copies the list. */
    MetaspaceLog {
        parts = List.copyOf(parts);
    }

    /**
     * Reads all of it.
     *
     * @throws InputException if a file cannot be read or a line is not as it must be
     */
    Extent read(Sink sink) throws InputException {
        Reading reading = new Reading(sink);
        for (Path part : parts) {
            reading.read(part, part.equals(parts.getLast()));
        }
        if (!reading.anyEvent) {
            throw new InputException(
                    "%s, line %d: expected a line such as '[0.012s][debug][metaspace] Arena"
                                    .formatted(parts.getLast(), reading.lastNumber)
                            + " @0x00007fa6dc0ae020 (class arena): born.' before the end",
                    null);
        }
        return new Extent(reading.lines, reading.cut);
    }

    /** One pass over the parts. */
    private static final class Reading {
        private final Sink sink;
        private long lines;
        private long lastNumber;
        private long lastNanos;
        private boolean cut;
        private boolean anyEvent;

        Reading(Sink sink) {
            this.sink = sink;
        }

        void read(Path part, boolean isLast) throws InputException {
            try (LogLines file = new LogLines(part)) {
                boolean first = true;
                for (String line = file.next(); line != null; line = file.next()) {
                    try {
                        first &= !accept(line, file.isWhole(), isLast, first);
                    } catch (BrokenLogException e) {
                        throw new InputException(
                                "%s, line %d: %s".formatted(part, file.number(), e.getMessage()),
                                e);
                    }
                }
                if (file.number() == 0) {
                    throw new InputException(
                            part + ", line 1: the file is empty; expected a JVM's log", null);
                }
                lines += file.number();
                lastNumber = file.number();
            }
        }

        /** Returns whether the line was an event. */
        private boolean accept(String line, boolean whole, boolean isLast, boolean first)
                throws BrokenLogException {
            ArenaEvent event = whole ? LineParser.parse(line) : parseCut(line, isLast);
            if (event == null) {
                return false;
            }
            if (first && event.nanos() < lastNanos - DISORDER_NANOS) {
                throw new BrokenLogException(
                        String.format(
                                Locale.ROOT,
                                "the parts of a log come in the order of their times:"
                                        + " seconds=%.3f, before=%.3f",
                                event.nanos() / 1e9,
                                lastNanos / 1e9));
            }
            lastNanos = event.nanos();
            anyEvent = true;
            sink.accept(event);
            return true;
        }

        /** The event of a line without a line end, if it is complete nevertheless. */
        private @Nullable ArenaEvent parseCut(String line, boolean isLast)
                throws BrokenLogException {
            ArenaEvent event = null;
            try {
                event = LineParser.parse(line);
            } catch (BrokenLogException e) {
                if (!isLast) {
                    throw e;
                }
            }
            cut = event == null;
            return event;
        }
    }
}
