package io.polder;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Allocates until nothing is left, closes all, and goes on. */
final class AddressLimitProbe {
    private static final long MIB = 1L << 20;

    /** More than any limit that the test sets. */
    private static final int MOST = 8000;

    private AddressLimitProbe() {}

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 2000; i++) {
            use(MemoryPool.common(), 100);
        }
        if (args[0].equals("blocks")) {
            growBlocks(MemoryPool.common().blocks());
            return;
        }
        List<MemoryPool> pools = pools(args[0]);
        long bytes = args[0].equals("large") ? 9 * MIB : MIB;
        List<Arena> open = new ArrayList<>(2 * MOST);
        boolean exhausted = false;
        try {
            for (int i = 0; i < MOST; i++) {
                Arena arena = pools.get(i % pools.size()).openConfined();
                open.add(arena);
                arena.allocate(bytes).fill((byte) 1);
            }
        } catch (OutOfMemoryError expected) {
            exhausted = true;
        }
        for (Arena arena : open) {
            arena.close();
        }
        open.clear();
        System.out.println("exhausted: " + exhausted);
        again(pools);
        Thread.ofVirtual().start(() -> use(MemoryPool.common(), 100_000)).join();
        System.out.println("virtual thread: ok");
        outside(pools);
    }

    /** To 250 MB together, which need little more addresses. */
    private static void growBlocks(BlockAllocator blocks) {
        long[] addresses = new long[1000];
        for (int i = 0; i < addresses.length; i++) {
            long small = blocks.allocateAddress(100_000);
            addresses[i] = blocks.reallocateAddress(small, 250_000);
        }
        for (long address : addresses) {
            blocks.freeAddress(address);
        }
        System.out.println("grown: ok");
    }

    private static List<MemoryPool> pools(String what) {
        if (!what.equals("pools")) {
            return List.of(MemoryPool.common());
        }
        List<MemoryPool> pools = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            // Not given back by the decay, but when another pool needs it.
            pools.add(MemoryPool.builder().name("p" + i).decay(Duration.ofHours(1)).build());
        }
        return pools;
    }

    /** What is free is used again, as chunks and as pages. */
    private static void again(List<MemoryPool> pools) {
        for (int i = 0; i < 50; i++) {
            use(pools.get(i % pools.size()), 5 * MIB);
            use(pools.get(i % pools.size()), MIB);
        }
        System.out.println("again: ok");
    }

    /** What a trim gives back can be had by others in the process. */
    private static void outside(List<MemoryPool> pools) {
        long _ = MemoryPool.common().trim();
        for (MemoryPool pool : pools) {
            long _ = pool.trim();
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect((int) (100 * MIB));
        buffer.put(0, (byte) 1);
        System.out.println("outside: ok");
    }

    private static void use(MemoryPool pool, long bytes) {
        try (Arena arena = pool.openConfined()) {
            arena.allocate(bytes).fill((byte) 2);
        }
    }
}
