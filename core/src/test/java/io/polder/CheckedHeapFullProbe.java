package io.polder;

import java.time.Duration;
import java.util.Arrays;

/**
 * A program for {@link ChildJvm}, in a small heap: frees as many blocks that are checked as the
 * table of a JDK's map for 32,768 entries may have, fills the Java heap but for small objects, and
 * frees one more. Then it empties the heap and allocates blocks. Prints whether the heap was full,
 * and how many blocks it got that it had already.
 */
final class CheckedHeapFullProbe {
    private static final int BALLAST_BYTES = 64 << 10;
    private static final int TABLE_BYTES = 4 * BALLAST_BYTES;
    private static final int FREED = 32_768 * 3 / 4;
    private static final int COUNT = FREED + 1000;

    private static final byte[] NOTHING = {};

    private CheckedHeapFullProbe() {}

    public static void main(String[] args) {
        byte[][] ballast = new byte[2000][];
        long[] blocks = new long[COUNT];
        MemoryPool.Builder builder = MemoryPool.builder().decay(Duration.ofHours(1));
        try (MemoryPool pool = builder.checkBlocks(true).build()) {
            BlockAllocator allocator = pool.blocks();
            for (int at = 0; at < COUNT; at++) {
                blocks[at] = allocator.allocateAddress(16);
            }
            for (int at = 0; at < FREED; at++) {
                allocator.freeAddress(blocks[at]);
            }
            fill(ballast);
            boolean full = isFull();
            int freed = FREED;
            try {
                allocator.freeAddress(blocks[freed]);
                freed++;
            } catch (OutOfMemoryError refused) {
                // It is used still.
            }
            Arrays.fill(ballast, null);
            for (int at = FREED + 1; at < COUNT; at++) { // so that the others are used again
                allocator.freeAddress(blocks[at]);
            }
            int twice = 0;
            for (int at = 0; at < COUNT; at++) {
                long block = allocator.allocateAddress(16);
                twice += freed == FREED && block == blocks[FREED] ? 1 : 0;
            }
            System.out.print("full=" + full + ", twice=" + twice);
        }
    }

    /** Fills the heap; leaves room for small objects. */
    private static void fill(byte[][] ballast) {
        int count = 0;
        try {
            while (count < ballast.length) {
                ballast[count] = new byte[BALLAST_BYTES];
                count++;
            }
        } catch (OutOfMemoryError full) {
            ballast[count - 1] = NOTHING;
        }
    }

    private static boolean isFull() {
        try {
            return new byte[TABLE_BYTES].length == 0;
        } catch (OutOfMemoryError full) {
            return true;
        }
    }
}
