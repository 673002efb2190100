package io.polder.agent.census;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts of one call site, of one thread or of several.
 *
 * <pre>
 *   | opened | allocations | arenas by size | bytes by size | arenas by allocations | by lifetime
 *   | allocated | grown into a size | grown out of a size |
 * </pre>
 *
 * <p>Arenas count as closed in each of the three histograms. What those that are open have comes
 * from the second line, which counts while they allocate: what was allocated, less what the closed
 * ones had; those that grew into a size, less those that grew out of it, or were closed with it.
 *
 * <p>Of lifetimes only some are measured: those of the first {@value #MEASURED} arenas, and then
 * that of the last of each {@value #MEASURED}, which stands for all of them. What was opened after
 * the last one that was measured, or is not closed, makes the sum of these weights another than the
 * number of closed arenas; {@link #spreadLifetimes} adds those over the buckets as the weights
 * are.
 *
 * <p><b>Threads.</b> A row of one thread is written by that thread alone, by plain stores that
 * others see some time later; one of several threads by atomic additions. Anyone may read.
 */
final class Row {
    private static final int OPENED = 0;
    private static final int ALLOCATIONS = 1;
    private static final int SIZES = 2;
    private static final int BYTES = SIZES + Buckets.SIZES;
    private static final int COUNTS = BYTES + Buckets.SIZES;
    private static final int LIFETIMES = COUNTS + Buckets.ALLOCATIONS;
    private static final int ALLOCATED = LIFETIMES + Buckets.LIFETIMES;
    private static final int INTO = ALLOCATED + 1;
    private static final int OUT_OF = INTO + Buckets.SIZES;
    private static final int LENGTH = OUT_OF + Buckets.SIZES;

    /** Lifetimes of the first arenas are all measured, then of one in so many. A power of two. */
    private static final int MEASURED = 64;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[LENGTH];
    private final boolean several;

    /** Nothing counted yet; by one thread or by several. */
    Row(boolean several) {
        this.several = several;
    }

    /**
     * Counts an arena that was opened.
     *
     * @return the weight with which its lifetime is to be measured; 0 if it is not
     */
    int opened() {
        long before = add(OPENED, 1);
        if (before < MEASURED) {
            return 1;
        }
        return (before & (MEASURED - 1)) == MEASURED - 1 ? MEASURED : 0;
    }

    /**
     * Counts an allocation.
     *
     * @param before what its arena had
     * @param after what it has now
     */
    void allocated(long before, long after) {
        if (after != before) {
            add(ALLOCATED, after - before);
            int from = Buckets.ofSize(before);
            int to = Buckets.ofSize(after);
            if (from != to) {
                add(OUT_OF + from, 1);
                add(INTO + to, 1);
            }
        }
    }

    /** Counts an arena that was closed. */
    void closed(long bytes, long allocations) {
        int size = Buckets.ofSize(bytes);
        add(SIZES + size, 1);
        if (allocations != 0) {
            add(BYTES + size, bytes);
            add(ALLOCATIONS, allocations);
        }
        add(COUNTS + Buckets.ofAllocations(allocations), 1);
    }

    /** Counts a lifetime that was measured. */
    void lived(long nanos, int weight) {
        add(LIFETIMES + Buckets.ofLifetime(nanos), weight);
    }

    private long add(int index, long amount) {
        if (several) {
            return (long) LONGS.getAndAdd(counts, index, amount);
        }
        long before = counts[index];
        LONGS.setOpaque(counts, index, before + amount);
        return before;
    }

    /** Adds what is counted here to a row that no other thread knows. */
    void addTo(Row sum) {
        for (int i = 0; i < LENGTH; i++) {
            sum.counts[i] += (long) LONGS.getOpaque(counts, i);
        }
    }

    long openedCount() {
        return counts[OPENED];
    }

    long closedCount() {
        long sum = 0;
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            sum += size(bucket);
        }
        return sum;
    }

    long bytes() {
        long sum = 0;
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            sum += bytes(bucket);
        }
        return sum;
    }

    /** Counts as opened what was closed: who reads beside a thread may see that alone. */
    void addOpened() {
        counts[OPENED] = Math.max(counts[OPENED], closedCount());
    }

    /** What arenas have that are open. */
    long openBytes() {
        return Math.max(0, counts[ALLOCATED] - bytes());
    }

    /** How many are open and of this size. */
    long openSize(int bucket) {
        long into = counts[INTO + bucket] + (bucket == 0 ? openedCount() : 0);
        return Math.max(0, into - counts[OUT_OF + bucket] - size(bucket));
    }

    long allocations() {
        return counts[ALLOCATIONS];
    }

    long size(int bucket) {
        return counts[SIZES + bucket];
    }

    long bytes(int bucket) {
        return counts[BYTES + bucket];
    }

    long count(int bucket) {
        return counts[COUNTS + bucket];
    }

    /**
     * Makes the lifetimes those of all arenas that were closed, as an estimate. For a row that
     * counts no more; none are known if none was measured.
     */
    void spreadLifetimes() {
        long weights = lifetimes();
        long closed = closedCount();
        if (weights == 0 || weights == closed) {
            return;
        }
        long weightsSoFar = 0;
        long arenasSoFar = 0;
        for (int at = LIFETIMES; at < LIFETIMES + Buckets.LIFETIMES; at++) {
            weightsSoFar += counts[at];
            // Of the sum so far: so that what is rounded does not add up.
            long arenas = Math.round((double) closed * weightsSoFar / weights);
            counts[at] = arenas - arenasSoFar;
            arenasSoFar = arenas;
        }
    }

    /** How many lifetimes are known: after that of all arenas that were closed, or of none. */
    long lifetimes() {
        long sum = 0;
        for (int bucket = 0; bucket < Buckets.LIFETIMES; bucket++) {
            sum += lifetime(bucket);
        }
        return sum;
    }

    long lifetime(int bucket) {
        return counts[LIFETIMES + bucket];
    }
}
