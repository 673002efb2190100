package io.polder.lab.experiments.evacuation;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A gate that counts who is inside in one counter for all threads, or in many of which each thread
 * uses one: what the library's gate is compared with. A critical section costs two atomic updates.
 *
 * <pre>{@code
 *   counters   | padding | counter 0 | padding | counter 1 | padding | ...
 *
 *   counter    CLOSED in the highest bit, below it how many are inside
 * }</pre>
 *
 * <p>As in the Shenandoah collector since JDK-8294775. Critical sections of one thread do not nest,
 * which spares a look-up of the thread.
 *
 * <p>Invariant: while CLOSED is set a count only falls.
 *
 * <p>Ordering: a counter is one word, changed by atomic updates only, which have one order.
 */
final class CountingGate implements Passage {
    /** As many as threads of a large machine can use at the same time without meeting too often. */
    static final int STRIPES = 64;

    /** Two cache lines, for the adjacent-line prefetch. */
    private static final int STRIDE = 16;

    private static final long CLOSED = Long.MIN_VALUE;

    /** Spreads neighbouring ids far apart: 2^64 divided by the golden ratio, made odd. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final int count;
    private final int shift;
    private final AtomicLongArray counters;

    /**
     * An open gate.
     *
     * @param count how many counters, a power of two
     */
    CountingGate(int count) {
        this.count = count;
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(count);
        this.counters = new AtomicLongArray(STRIDE * (count + 1));
    }

    @Override
    public long begin() {
        long thread = Thread.currentThread().threadId();
        int at = at(count == 1 ? 0 : (int) ((thread * SPREAD) >>> shift));
        long now = counters.getOpaque(at);
        while (now >= 0) {
            long seen = counters.compareAndExchange(at, now, now + 1);
            if (seen == now) {
                return at;
            }
            now = seen;
        }
        return 0;
    }

    @Override
    public void end(long section) {
        counters.getAndDecrement((int) section);
    }

    /** Lets nobody in any more, and waits until all have left. */
    void close() {
        for (int counter = 0; counter < count; counter++) {
            counters.getAndUpdate(at(counter), word -> word | CLOSED);
        }
        for (int counter = 0; counter < count; counter++) {
            while (counters.get(at(counter)) != CLOSED) {
                Thread.onSpinWait();
            }
        }
    }

    /** Lets threads in again. */
    void reopen() {
        for (int counter = 0; counter < count; counter++) {
            counters.getAndUpdate(at(counter), word -> word & ~CLOSED);
        }
    }

    @Override
    public void verifyEmpty() {
        for (int counter = 0; counter < count; counter++) {
            long word = counters.get(at(counter));
            if (word != 0) {
                throw new AssertionError("nobody is inside: counter=" + counter + ", is=" + word);
            }
        }
    }

    private static int at(int counter) {
        return STRIDE * (1 + counter);
    }
}
