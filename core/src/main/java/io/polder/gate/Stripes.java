package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters of virtual threads that are inside, of which each thread uses one.
 *
 * <pre>{@code
 *   words    | padding | stripe 0 | stripe 1 | ... | padding |      STRIDE words each
 *
 *   stripe     63     62       61        60      59        30 29         0
 *            +------+-----+---------+---------+------------+------------+
 *            |CLOSED|PHASE|waiting 1|waiting 0| in phase 1 | in phase 0 |
 *            +------+-----+---------+---------+------------+------------+
 * }</pre>
 *
 * <p>A critical section is counted in the phase that the stripe has when it begins, and keeps to
 * it. A grace period flips the phase of each stripe and waits until the phase before is empty;
 * readers that come meanwhile are counted in the other, and hold nobody up, as in sleepable RCU.
 * That one must be empty at the flip, so there is one grace period at a time.
 *
 * <p>Invariant: each count is at least 0, and at most the number of threads, which fits. While
 * CLOSED is set, counts only fall.
 *
 * <p>Ordering: everything about a stripe happens in one word, by atomic updates. They have one
 * order: either a reader is counted before the flip, and is seen by the thread that flips, or after
 * it, and sees all that was done before. No fence is needed on any processor.
 *
 * <p>Failure. A reader that could not end its critical section stays counted, and {@link
 * Gate#inside} lists it; a wait counts it off. A wait that is cut short leaves readers in the phase
 * before the flip; so a grace period waits for both.
 *
 * <p>Thread-safe.
 */
final class Stripes {
    /** Instead of a phase: the gate is closed. */
    static final int REFUSED = -1;

    /** Two cache lines, for the adjacent-line prefetch. */
    private static final int STRIDE = 16;

    static final long CLOSED = 1L << 63;
    private static final long PHASE = 1L << 62;
    private static final int COUNT_BITS = 30;
    private static final long WAITING_0 = 1L << (2 * COUNT_BITS);
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    /** Spreads neighbouring ids far apart: 2^64 divided by the golden ratio, made odd. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    final int count;
    private final int shift;
    private final long[] words;

    /** Wakes who waits for any reader of the gate. */
    final ReaderWait readerWait;

    /** Held for all of a grace period. A second caller would have to wait for the same readers. */
    private final Object gracePeriod = new Object();

    /** The readers that could not end a critical section; guarded by the monitor of this. */
    @Nullable Accessor lastNotEnded;

    /**
     * Empty and open.
     *
     * @param count how many, a power of two
     * @param readerWait waits for readers
     */
    Stripes(int count, ReaderWait readerWait) {
        this.count = count;
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(count);
        this.words = new long[STRIDE * (count + 2)];
        this.readerWait = readerWait;
    }

    /** The stripe of the thread with this id. */
    int of(long threadId) {
        return count == 1 ? 0 : (int) ((threadId * SPREAD) >>> shift);
    }

    /** Counts a critical section; returns the phase it is counted in, or {@link #REFUSED}. */
    int tryEnter(int stripe) {
        int at = at(stripe);
        long now = (long) WORDS.getOpaque(words, at);
        while ((now & CLOSED) == 0) {
            int phase = phase(now);
            long seen = (long) WORDS.compareAndExchange(words, at, now, now + one(phase));
            if (seen == now) {
                return phase;
            }
            now = seen;
        }
        return REFUSED;
    }

    /**
     * Takes the count of a critical section back; if it throws, it has not.
     *
     * @return the word before, for {@link #clearWaiting}
     */
    long leave(int stripe, int phase) {
        int at = at(stripe);
        long minusOne = -one(phase);
        return (long) WORDS.getAndAdd(words, at, minusOne);
    }

    /** Whether somebody waits, and the count that was taken back was the last of its phase. */
    boolean clearWaiting(int stripe, int phase, long before) {
        long wanted = WAITING_0 << phase;
        return (before & wanted) != 0
                && count(before, phase) == 1
                && ((long) WORDS.getAndBitwiseAnd(words, at(stripe), ~wanted) & wanted) != 0;
    }

    /** Lets nobody be counted any more. */
    void mark() {
        for (int stripe = 0; stripe < count; stripe++) {
            WORDS.getAndBitwiseOr(words, at(stripe), CLOSED);
        }
    }

    /** Undoes {@link #mark}. */
    void unmark() {
        for (int stripe = 0; stripe < count; stripe++) {
            WORDS.getAndBitwiseAnd(words, at(stripe), ~CLOSED);
        }
    }

    /** Flips the phase of a stripe; returns the one it had. */
    int flip(int stripe) {
        return phase((long) WORDS.getAndBitwiseXor(words, at(stripe), PHASE));
    }

    /** The phase that a stripe does not have. */
    int otherPhase(int stripe) {
        return 1 - phase(wordVolatile(stripe));
    }

    /**
     * Whether no reader is counted in a phase but those who could not end their critical section.
     * All that those who were have done is seen then. Nobody must enter the phase meanwhile, so the
     * word tells if one of those has been taken back between the looks.
     */
    boolean isEmpty(int stripe, int phase) {
        long word = wordVolatile(stripe);
        long counted = count(word, phase);
        return counted == 0 || (counted == notEnded(stripe, phase) && wordVolatile(stripe) == word);
    }

    /** How many critical sections are counted there that could not be ended. */
    synchronized int notEnded(int stripe, int phase) {
        int found = 0;
        for (Accessor each = lastNotEnded; each != null; each = each.earlier) {
            if (each.isNotEndedIn(stripe, phase)) {
                found++;
            }
        }
        return found;
    }

    /** Waits until the critical sections have ended that had begun before the call. */
    void synchronize() {
        synchronized (gracePeriod) {
            int[] phases = new int[count];
            for (int stripe = 0; stripe < count; stripe++) {
                await(stripe, otherPhase(stripe)); // empty, unless an error cut a wait short
                phases[stripe] = flip(stripe);
            }
            for (int stripe = 0; stripe < count; stripe++) {
                await(stripe, phases[stripe]);
            }
        }
    }

    private void await(int stripe, int phase) {
        readerWait.await(() -> isEmpty(stripe, phase), () -> setWaiting(stripe, phase));
    }

    /** Makes the last reader that leaves a phase wake those who wait. */
    void setWaiting(int stripe, int phase) {
        WORDS.getAndBitwiseOr(words, at(stripe), WAITING_0 << phase);
    }

    long wordVolatile(int stripe) {
        return (long) WORDS.getVolatile(words, at(stripe));
    }

    private static int at(int stripe) {
        return STRIDE * (1 + stripe);
    }

    private static int phase(long word) {
        return (word & PHASE) == 0 ? 0 : 1;
    }

    private static long one(int phase) {
        return phase == 0 ? 1 : 1L << COUNT_BITS;
    }

    static long count(long word, int phase) {
        return (phase == 0 ? word : word >>> COUNT_BITS) & COUNT_MASK;
    }
}
