package io.polder.stress.soak;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;
import io.polder.stress.everywhere.Paint;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** What requests do with blocks: most of them are freed by another thread. */
final class BlockRequests {
    private static final int COUNT = 6;
    private static final int MOVED_ONE_IN = 4;
    private static final int ZEROED_ONE_IN = 4;
    private static final int ALIGNED_ONE_IN = 8;
    private static final long ALIGNMENT = 256;

    private final Places places;

    BlockRequests(Places places) {
        this.places = places;
    }

    /** Allocates some, has some moved, and leaves them. */
    void allocate(MemoryPool pool, SplittableRandom random) {
        BlockAllocator blocks = pool.blocks();
        for (int i = 0; i < COUNT; i++) {
            HeldBlock block = new HeldBlock(blocks, Sizes.next(random), random.nextLong());
            block.allocate(random.nextInt(ZEROED_ONE_IN) == 0, random.nextInt(ALIGNED_ONE_IN) == 0);
            if (random.nextInt(MOVED_ONE_IN) == 0) {
                block.moveOrEnd(Sizes.next(random));
            }
            places.leave(random, block);
        }
    }

    private static final class HeldBlock implements Held {
        private final BlockAllocator blocks;
        private final long seed;
        private long bytes;
        private long address;

        HeldBlock(BlockAllocator blocks, long bytes, long seed) {
            this.blocks = blocks;
            this.bytes = bytes;
            this.seed = seed;
        }

        void allocate(boolean zeroed, boolean aligned) {
            address =
                    zeroed
                            ? blocks.allocateZeroedAddress(bytes, 16)
                            : aligned
                                    ? blocks.allocateAddress(bytes, ALIGNMENT)
                                    : blocks.allocateAddress(bytes);
            if (zeroed) {
                Paint.requireZero(memory(bytes));
            }
            Paint.paint(memory(bytes), seed);
        }

        /** Changes its size; if that is refused, it stays as it is, and ends. */
        void moveOrEnd(long newBytes) {
            // Words that are kept whole are as they were painted; the others are not looked at.
            long keptBytes = Math.min(bytes, newBytes) & -Long.BYTES;
            try {
                address = blocks.reallocateAddress(address, newBytes);
            } catch (OutOfMemoryError refused) {
                end();
                throw refused;
            }
            bytes = newBytes;
            Paint.requirePainted(memory(keptBytes), seed);
            Paint.paint(memory(bytes), seed);
        }

        @Override
        public void end() {
            Paint.requirePainted(memory(bytes), seed);
            blocks.freeAddress(address);
        }

        private MemorySegment memory(long size) {
            return Paint.at(address, size);
        }
    }
}
