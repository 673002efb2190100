package io.polder.gate;

/**
 * One reader that is counted, as virtual threads are, and one thread that waits for it, with data
 * that each writes and the other reads, all of it plain.
 */
final class StripesScenario {
    private final Counted counted;
    private int before;
    private int written;

    StripesScenario(Counted counted) {
        this.counted = counted;
    }

    /** Two counters, of which all readers use one. */
    static final class Counted {
        private final Stripes stripes = new Stripes(2, new ReaderWait());
    }

    /** Is counted, reads and leaves; returns what was read inside. */
    int read() {
        int phase = counted.stripes.tryEnter(1);
        if (phase == Stripes.REFUSED) {
            return ReaderScenario.REFUSED;
        }
        int read = before;
        written = 1;
        long word = counted.stripes.leave(1, phase);
        if (counted.stripes.clearWaiting(1, phase, word)) {
            counted.stripes.readerWait.wake();
        }
        return read;
    }

    /** Writes, waits for a grace period, and returns whether it saw what the reader wrote. */
    int synchronize() {
        before = 1;
        counted.stripes.synchronize();
        return written;
    }

    /** Writes, closes, and returns whether it saw what the reader wrote; opens again. */
    int closeAndReopen() {
        before = 1;
        counted.stripes.mark();
        counted.stripes.synchronize();
        int saw = written;
        counted.stripes.unmark();
        return saw;
    }
}
