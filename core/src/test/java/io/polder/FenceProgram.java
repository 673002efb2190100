package io.polder;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Needs a fence of all threads: a heap compacts, and a close takes what a thread keeps. */
final class FenceProgram {
    private static final int OBJECTS = 20_000;
    private static final int OBJECT_BYTES = 256;

    private FenceProgram() {}

    public static void main(String[] args) throws InterruptedException {
        MemoryPool pool =
                MemoryPool.builder()
                        .committedMaxBytes(16L << 20)
                        .decay(Duration.ofDays(1)) // so that nothing goes back before the trim
                        .build();
        compact(pool);
        takeAway(pool);
        System.out.println("done");
    }

    private static void compact(MemoryPool pool) {
        try (RelocatingHeap heap = pool.openHeap()) {
            long[] handles = new long[OBJECTS];
            for (int i = 0; i < OBJECTS; i++) {
                handles[i] = heap.allocate(OBJECT_BYTES);
                heap.setLong(handles[i], 0, i);
            }
            for (int i = 0; i < OBJECTS; i++) {
                if (i % 4 != 0) {
                    heap.free(handles[i]);
                }
            }
            long _ = heap.compact(); // or the background was first
            System.out.println("compacted " + (heap.stats().cycles() > 0));
            for (int i = 0; i < OBJECTS; i += 4) {
                if (heap.getLong(handles[i], 0) != i) {
                    throw new AssertionError("object " + i + ": " + heap.getLong(handles[i], 0));
                }
            }
        }
    }

    private static void takeAway(MemoryPool pool) throws InterruptedException {
        CountDownLatch used = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Thread sleeper =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try (Arena arena = pool.openConfined()) {
                                        arena.allocate(1_000);
                                    }
                                    MemorySegment block = pool.blocks().allocate(100, 1);
                                    pool.blocks().free(block);
                                    used.countDown();
                                    try {
                                        over.await();
                                    } catch (InterruptedException e) {
                                        throw new IllegalStateException(e);
                                    }
                                });
        used.await();
        System.out.println("trimmed " + (pool.trim() > 0));
        pool.close();
        System.out.println("left " + pool.stats().committedBytes());
        over.countDown();
        sleeper.join();
    }
}
