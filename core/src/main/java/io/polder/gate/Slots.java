package io.polder.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Places for readers, each written by one thread and read by those who wait.
 *
 * <pre>{@code
 *   slot     | padding | SECTION | SIGNALS | padding |      two cache lines each side
 *
 *   signals  CLOSED:  begin no critical section
 *            WAITING: wake those who wait when you leave
 *            COUNTED: no slot, but the place of a virtual thread, which is counted in Stripes
 * }</pre>
 *
 * <p>Each is a {@code long[]} of its own, of one thread. What a reader reads lies next to what it
 * writes, so that it touches no memory that other threads touch; where in the slot is a constant,
 * so that it computes no address. The {@link ReaderRegistry} publishes a slot before its first use.
 *
 * <p>Ordering: SECTION is written with release by its thread and read with acquire by waiters. What
 * else is needed, see {@link GracePeriods}. SIGNALS is changed atomically.
 */
final class Slots {
    static final long CLOSED = 1;
    static final long WAITING = 2;
    static final long COUNTED = 4;

    /** Two cache lines, for the adjacent-line prefetch. */
    private static final int PADDING = 16;

    /** Where the critical section stands: for its own thread, without a call in between. */
    static final int SECTION = PADDING;

    private static final int SIGNALS = SECTION + 1;

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private Slots() {}

    /** One outside any critical section. */
    static long[] slot(long signals) {
        long[] slot = new long[SIGNALS + 1 + PADDING];
        slot[SIGNALS] = signals;
        return slot;
    }

    /** The place of a virtual thread, which only that knows. */
    static long[] unshared() {
        long[] place = new long[SIGNALS + 1];
        place[SIGNALS] = COUNTED;
        return place;
    }

    static long sectionAcquire(long[] slot) {
        return (long) WORDS.getAcquire(slot, SECTION);
    }

    static void setSectionRelease(long[] slot, long section) {
        WORDS.setRelease(slot, SECTION, section);
    }

    static long signalsAcquire(long[] slot) {
        return (long) WORDS.getAcquire(slot, SIGNALS);
    }

    static void addSignal(long[] slot, long signal) {
        WORDS.getAndBitwiseOr(slot, SIGNALS, signal);
    }

    /** Takes a signal away; whether it was there. */
    static boolean removeSignal(long[] slot, long signal) {
        return ((long) WORDS.getAndBitwiseAnd(slot, SIGNALS, ~signal) & signal) != 0;
    }
}
