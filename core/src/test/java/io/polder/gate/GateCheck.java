package io.polder.gate;

/** Checks the invariants of a {@link Gate} and of its parts. */
public final class GateCheck {
    private GateCheck() {}

    /**
     * Checks what holds at every moment.
     *
     * @throws AssertionError if it does not, with a dump
     */
    public static void verify(Gate gate) {
        verify(gate.readers, 0);
        synchronized (gate) {
            if (!gate.closed) {
                check(
                        gate.readers,
                        (gate.readers.signals & Slots.CLOSED) == 0,
                        "readers of an open gate are let in");
                verify(gate.virtual, false);
            }
        }
    }

    /**
     * Checks also that the gate is closed, and no change of it was cut short.
     *
     * @throws AssertionError if it is not so, with a dump
     */
    static void verifyClosed(Gate gate) {
        verify(gate);
        synchronized (gate) {
            check(gate.readers, gate.closed, "the gate is closed");
            verify(gate.readers, Slots.CLOSED);
            verify(gate.virtual, true);
        }
    }

    /**
     * Checks what holds while no thread is inside or on its way.
     *
     * @throws AssertionError if it does not, with a dump
     */
    public static void verifyEmpty(Gate gate) {
        verify(gate);
        long counted = inside(gate.virtual);
        if (counted != 0) {
            throw new AssertionError("nobody is counted: inside=" + counted);
        }
        verifyEmpty(gate.readers);
    }

    /** How many places for readers there are. */
    static int slots(Gate gate) {
        return gate.readers.readers.length;
    }

    /** How many threads have a slot. */
    static int threads(ReaderRegistry readers) {
        return readers.readers.length;
    }

    /** How many platform threads are inside. */
    static int inside(Gate gate) {
        int inside = 0;
        synchronized (gate.readers) {
            for (Accessor reader : gate.readers.readers) {
                inside += reader.isInside() ? 1 : 0;
            }
        }
        return inside;
    }

    /** How many virtual threads are inside, but for those who could not end that. */
    static long inside(Stripes stripes) {
        long inside = 0;
        for (int stripe = 0; stripe < stripes.count; stripe++) {
            long word = stripes.wordVolatile(stripe);
            for (int phase = 0; phase < 2; phase++) {
                inside += Stripes.count(word, phase) - stripes.notEnded(stripe, phase);
            }
        }
        return Math.max(0, inside); // those who are taken back between the looks count twice
    }

    /** How many critical sections were ended because their thread had. */
    public static long endedInside(Gate gate) {
        return endedInside(gate.readers);
    }

    static long endedInside(ReaderRegistry readers) {
        synchronized (readers) {
            return readers.endedInside;
        }
    }

    /** Checks that all are open, or all closed. Nobody may be closing or opening meanwhile. */
    static void verify(Stripes stripes, boolean closed) {
        for (int stripe = 0; stripe < stripes.count; stripe++) {
            long word = stripes.wordVolatile(stripe);
            if (((word & Stripes.CLOSED) != 0) != closed) {
                throw new AssertionError(
                        "a stripe must be closed iff its gate is: stripe="
                                + stripe
                                + ", word=0x"
                                + Long.toHexString(word)
                                + ", closed="
                                + closed);
            }
        }
    }

    /** Checks the invariants, and that every slot has at least these signals. */
    static void verify(ReaderRegistry readers, long expected) {
        synchronized (readers) {
            long signals = readers.signals;
            check(readers, (signals & expected) == expected, "signals are those expected");
            for (Accessor reader : readers.readers) {
                check(
                        readers,
                        (Slots.signalsAcquire(reader.words) & signals) == signals,
                        "every slot has the signals of all");
            }
        }
    }

    /** Checks that nobody is inside. */
    static void verifyEmpty(ReaderRegistry readers) {
        synchronized (readers) {
            for (Accessor reader : readers.readers) {
                check(readers, !reader.isInside(), "nobody is inside");
            }
        }
    }

    private static void check(ReaderRegistry readers, boolean holds, String rule) {
        if (holds) {
            return;
        }
        StringBuilder dump = new StringBuilder(rule).append(':');
        for (Accessor reader : readers.readers) {
            long section = Slots.sectionAcquire(reader.words);
            dump.append(" owner=").append(reader.ownerId);
            dump.append(", critical section=0x").append(Long.toHexString(section)).append(';');
        }
        throw new AssertionError(dump.toString());
    }
}
