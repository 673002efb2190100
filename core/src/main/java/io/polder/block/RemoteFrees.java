package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.memory.FieldHandle;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The blocks of one span that other threads have freed: a list in the blocks themselves, and how
 * many they are.
 *
 * <pre>{@code
 *   freed   | announced | count | address |
 *                                    |
 *                                    +--> block --> block --> block      freed last is first
 * }</pre>
 *
 * <p>Any thread adds blocks, by one compare-and-set: one, or what it has collected in a {@link
 * RemoteBatch}. The owner takes all of them by one atomic step. Only the owner takes: so a
 * word that was read and is there still has been there in between. List and count change together,
 * so what the owner takes becomes its own without a look at any block.
 *
 * <p><b>Announced</b> is a span that is in the list of its owner's {@link AnnouncedSpans}, or that
 * a thread is about to put there: the one whose compare-and-set made it so. Only the owner ends it.
 * Until then the span keeps its owner, and is not retired; so that thread reads whose it is after
 * its compare-and-set.
 *
 * <p>Invariants: blocks that are here count as used by the owner; so {@code count <= used}. If some
 * are here, the span is announced, or in the list of its class.
 *
 * <p>Ordering: adding releases and taking acquires. So what was written to a block before it was
 * freed, its link included, comes before what is written after it was taken.
 *
 * <p><b>Errors.</b> The compare-and-set decides; after it nothing is called. If an error keeps a
 * thread from announcing, the span's memory may serve nobody until the pool is closed: {@link
 * Lost}.
 *
 * <p>The word has a cache line of its own: the owner writes to others with each call.
 */
abstract sealed class RemoteFrees extends CacheLinePad permits RemoteFrees.Apart {
    private static final VarHandle FREED =
            FieldHandle.of(MethodHandles.lookup(), "freed", long.class);

    /** Where a word has the count: of fewer blocks than a span has of the smallest. */
    static final int COUNT_SHIFT = 48;

    static final int COUNT_MASK = (1 << 15) - 1;
    private static final long ANNOUNCED = Long.MIN_VALUE;

    /** Where a word has the address. */
    static final long ADDRESS_MASK = (1L << COUNT_SHIFT) - 1;

    /** The word; plainly written only by who has the owner, when no block is used. */
    long freed;

    /** The next one of the spans that are announced to the same owner. */
    @Nullable Span nextAnnounced;

    /** The number of blocks in a word. */
    static int count(long word) {
        return (int) (word >>> COUNT_SHIFT) & COUNT_MASK;
    }

    // Any thread

    /**
     * Adds a block.
     *
     * @param block its address; the first word of it is overwritten
     * @return whether the caller has to announce the span
     */
    final boolean addFreed(long block) {
        return addFreed(block, block, 1);
    }

    /**
     * Adds blocks that are linked.
     *
     * @param first the address of the first; the first word of the last one is overwritten
     * @return whether the caller has to announce the span
     */
    final boolean addFreed(long first, long last, int blocks) {
        long more = ((long) blocks << COUNT_SHIFT) + first;
        while (true) {
            long word = (long) FREED.getOpaque(this);
            ADDRESS_SPACE.set(WORD, last, word & ADDRESS_MASK);
            long longer = ((word | ANNOUNCED) & ~ADDRESS_MASK) + more;
            if (FREED.weakCompareAndSet(this, word, longer)) {
                return word >= 0;
            }
        }
    }

    /** The word, as far as one can see. */
    final long freedOpaque() {
        return (long) FREED.getOpaque(this);
    }

    /** Whether it is announced, as far as one can see. */
    final boolean isAnnounced() {
        return (long) FREED.getOpaque(this) < 0;
    }

    // The owner

    /** Takes all blocks; returns the word as it was, 0 if there are none. */
    final long takeFreed() {
        long word = (long) FREED.getOpaque(this);
        return (word & ADDRESS_MASK) == 0
                ? 0
                : (long) FREED.getAndBitwiseAndAcquire(this, ANNOUNCED);
    }

    /** Makes it announced, though it is in no list; returns false if it was announced already. */
    final boolean claim() {
        return (long) FREED.getAndBitwiseOrAcquire(this, ANNOUNCED) >= 0;
    }

    /**
     * Ends that it is announced: who adds a block from now on has to do so again.
     *
     * @param owner who has it, and the rest of its list from here on
     * @param rest what is left of that
     * @param take whether to take all blocks as well
     * @return the word of what was taken, else 0
     */
    final long unannounce(ThreadHeap owner, @Nullable Span rest, boolean take) {
        owner.taken = rest; // before: from there on it may be in another list
        nextAnnounced = null;
        long word = (long) FREED.getAndBitwiseAnd(this, take ? 0 : ~ANNOUNCED);
        return take ? word : 0;
    }

    /** Ends with a cache line that nobody uses: the owner writes to what lies behind it. */
    @SuppressWarnings("unused")
    abstract static sealed class Apart extends RemoteFrees permits Span {
        private long apart0, apart1, apart2, apart3, apart4, apart5, apart6, apart7;
    }
}
