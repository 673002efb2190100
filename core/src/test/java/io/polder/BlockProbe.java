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
        writeLater();
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

    /** Found when the last block of a closed pool is freed: it is released all the same. */
    private static void writeLater() {
        MemoryPool pool = MemoryPool.builder().name("later").build();
        BlockAllocator blocks = pool.blocks();
        long last = blocks.allocateAddress(100);
        long[] freed = new long[8];
        for (int i = 0; i < freed.length; i++) {
            freed[i] = blocks.allocateAddress(100);
        }
        for (long block : freed) {
            blocks.freeAddress(block);
            if (pool.stats().blocks().checked()) {
                Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, block + 50, (byte) 1);
            }
        }
        pool.close();
        blocks.freeAddress(last);
        Await.until("released", () -> pool.stats().reservedBytes() == 0);
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
