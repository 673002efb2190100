package io.polder;

import io.polder.memory.Zeroing;

import java.lang.foreign.ValueLayout;

/** Misuses blocks of the common pool and of a closed one, and frees some in a shutdown hook. */
final class BlockProbe {
    private BlockProbe() {}

    public static void main(String[] args) {
        BlockAllocator blocks = MemoryPool.common().blocks();
        long beside = blocks.allocateAddress(100);
        freeTwice(blocks);
        writeTooLate();
        MemoryPool closed = MemoryPool.builder().build();
        long ofClosed = closed.blocks().allocateAddress(3 << 20);
        closed.close();
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    blocks.freeAddress(beside);
                                    closed.blocks().freeAddress(ofClosed);
                                    blocks.freeAddress(blocks.allocateAddress(10_000));
                                    System.out.println("freed in the hook");
                                }));
    }

    private static void freeTwice(BlockAllocator blocks) {
        long block = blocks.allocateAddress(100);
        blocks.freeAddress(block);
        if (MemoryPool.common().stats().blocks().checked()) {
            try {
                blocks.freeAddress(block);
                System.out.println("not found");
            } catch (IllegalArgumentException found) {
                System.out.println(found.getMessage());
            }
        }
    }

    /** Found by the close, after which nobody comes. */
    private static void writeTooLate() {
        try (MemoryPool pool = MemoryPool.builder().name("late").build()) {
            BlockAllocator blocks = pool.blocks();
            long block = blocks.allocateAddress(100);
            blocks.freeAddress(block);
            if (pool.stats().blocks().checked()) {
                Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, block + 50, (byte) 1);
            }
        }
    }
}
