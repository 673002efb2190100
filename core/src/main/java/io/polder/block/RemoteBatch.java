package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import org.jspecify.annotations.Nullable;

/**
 * Blocks of one span of another owner that a thread has freed, one after the other, and that are
 * not among its {@link RemoteFrees} yet.
 *
 * <pre>{@code
 *   first --> block --> block --> last        freed last is first
 * }</pre>
 *
 * <p>They get there by one compare-and-set for all of them, instead of one for each: when they are
 * {@linkplain #COUNT_MAX many}, when the thread frees two blocks of another span in a row, with the
 * next tick and with a trim, also for a thread that sleeps. It is a remote cache of one span, as
 * snmalloc has it. A block that has none of the same span before and behind it is freed by itself.
 *
 * <p>Invariants: there are {@code count} blocks, which count as used by the owner of the span.
 *
 * <p>It belongs to a {@link ThreadHeap}, and the thread that has it may touch it; others read span
 * and count, to sum up what is used.
 *
 * <p><b>Errors.</b> A block is added by stores, after which nothing is thrown. What an error keeps
 * from getting to its span is {@link Lost}.
 */
abstract sealed class RemoteBatch extends CacheLinePad permits RemoteBatch.Padded {
    /**
     * So many blocks are many. Measured, of 64 bytes, one thread allocating what another one frees:
     * 26 ns for each if none waits, 21 with 16, 19 with 32, 18 with 64, and no less with more.
     */
    static final int COUNT_MAX = 64;

    /** So much memory is as well. */
    static final long BYTES_MAX = 16 << 10;

    /**
     * Larger blocks are freed one by one. Measured, as above: up to here a free takes 0.6 times as
     * long, and of 1 to 4 KiB, of which fewer wait, 1.0 to 1.15 times.
     */
    static final long BLOCK_BYTES_MAX = 512;

    /** Null if there are no blocks. */
    @Nullable Span span;

    /** Where the one begins of which a block was freed last: a number, which costs no barrier. */
    private long latestBase;

    int count;
    private int most;
    long first;
    long last;

    private RemoteBatch() {}

    /** Whether the block that was freed before was one of the same span. */
    boolean isInARow(Span its) {
        boolean again = latestBase == its.base;
        latestBase = its.base;
        return again;
    }

    /** Adds a block if there are some of its span, and room; returns whether it did. */
    boolean tryAdd(Span its, long block) {
        if (span != its || count >= most || first == block) {
            return false;
        }
        ADDRESS_SPACE.set(WORD, block, first);
        first = block; // from here on nothing is thrown
        count++;
        return true;
    }

    /**
     * Adds a block. First hands over what is here, if that is of another span or the batch is full.
     *
     * @return whether ticks are needed
     */
    boolean add(Span its, long block, Lost lost) {
        if (tryAdd(its, block)) {
            return false;
        }
        int room = (int) Math.min(COUNT_MAX, BYTES_MAX / its.blockBytes);
        boolean needsTick = span == null || handOver(lost);
        most = room;
        first = block;
        last = block;
        count = 1;
        span = its; // from here on nothing is thrown
        return needsTick;
    }

    /**
     * Has all blocks get to their span. If the program has freed one twice, so that fewer are used,
     * they are dropped: the span may be somebody else's memory by now. That is no reason to fail a
     * trim, or the close of a pool, by a thread that has done nothing wrong.
     *
     * @return whether ticks are needed
     */
    boolean handOver(Lost lost) {
        Span its = span;
        if (its == null) {
            return false;
        }
        int blocks = count;
        boolean added = false;
        boolean announced = true;
        boolean areUsed = its.usedOpaque() >= blocks && its.isBlock(first) && its.isBlock(last);
        span = null;
        if (!areUsed) {
            return false;
        }
        try {
            announced = !its.addFreed(first, last, blocks);
            added = true;
            boolean isFirst = !announced && its.owner.announced.add(its);
            announced = true;
            return isFirst;
        } finally {
            lost.blocks += added ? 0 : blocks;
            lost.announcements += announced ? 0 : 1;
        }
    }

    /** Ends with a cache line that nobody uses: what lies behind it may be another thread's. */
    @SuppressWarnings("unused")
    static final class Padded extends RemoteBatch {
        private long pad0, pad1, pad2, pad3, pad4, pad5, pad6, pad7;
    }
}
