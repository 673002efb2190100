package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The blocks of one owner that other threads have freed: a list in the blocks themselves.
 *
 * <pre>{@code
 *   words   | padding | HEAD | padding |
 *                        |
 *                        +--> block --> block --> block      who was freed last is first
 * }</pre>
 *
 * <p>Any thread adds a block, by one compare-and-set. Somebody takes all of them at once: so a head
 * that was read and is there still has been there in between, whatever became of blocks meanwhile.
 *
 * <p>Ordering: adding releases and taking acquires. So what was written to a block before it was
 * freed, its link included, comes before what is written after it was taken.
 *
 * <p><b>Errors.</b> The compare-and-set decides; after it nothing is called.
 *
 * <p>Thread-safe, without a lock.
 */
public final class RemoteFrees {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines before and behind, for the adjacent-line prefetch. */
    private static final int PADDING = 16;

    private static final int HEAD = PADDING;

    private final long[] words = new long[2 * PADDING];

    /**
     * Adds a block.
     *
     * @param block its address; the first word of it is overwritten
     * @return whether it is the first one since all were taken
     */
    public boolean add(long block) {
        while (true) {
            long first = (long) WORDS.getOpaque(words, HEAD);
            ADDRESS_SPACE.set(WORD, block, first);
            if (WORDS.weakCompareAndSetRelease(words, HEAD, first, block)) {
                return first == 0;
            }
        }
    }

    /**
     * Takes all blocks.
     *
     * @return the first one, which links to the next; 0 if there is none
     */
    public long takeAll() {
        return (long) WORDS.getAndSetAcquire(words, HEAD, 0L);
    }

    /** Whether a block is the one that was added last, as far as one can see. */
    boolean isLast(long block) {
        return (long) WORDS.getOpaque(words, HEAD) == block;
    }

    /** Whether there is none. */
    boolean isEmpty() {
        return (long) WORDS.getOpaque(words, HEAD) == 0;
    }

    /** All that are here, and those of a list that was taken; while nobody adds or takes. */
    long[] blocks(long taken) {
        long[] blocks = new long[4];
        int count = 0;
        for (long list : new long[] {taken, (long) WORDS.getAcquire(words, HEAD)}) {
            for (long block = list; block != 0; block = ADDRESS_SPACE.get(WORD, block)) {
                if (count == blocks.length) {
                    blocks = Arrays.copyOf(blocks, 2 * count);
                }
                blocks[count++] = block;
            }
        }
        return Arrays.copyOf(blocks, count);
    }
}
