package io.polder;

import java.lang.foreign.Arena;

/**
 * What programs do with arenas beside opening small ones, each often enough to be compiled: then
 * what compilers know of the code that all arenas share is what they know in such a program.
 *
 * <p>But for shared arenas and cleanup actions: after many of them HotSpot compiles the JDK's own
 * {@code ArenaImpl.close} and {@code reinterpretInternal} to more machine code than it inlines, so
 * no arena is removed any more, the JDK's neither.
 */
final class RemovalMixture {
    private static final int TIMES = 20_000;

    private static final int[] SIZES = {0, 1, 20, 100, 2000, 16_384, 17_000, 20_000, 64_000};

    private static long addresses;

    private RemovalMixture() {}

    /** Uses everything. */
    static void use() throws InterruptedException {
        for (int size : SIZES) {
            for (int i = 0; i < TIMES; i++) {
                open(size, 1L << (i & 7));
            }
        }
        for (int i = 0; i < TIMES; i++) {
            grow();
            refused();
            ofJdk();
        }
        for (int i = 0; i < TIMES / 10; i++) {
            nest(20);
            in(Thread.ofVirtual());
        }
        for (int i = 0; i < TIMES / 100; i++) {
            in(Thread.ofPlatform());
        }
        Thread virtual = Thread.ofVirtual().start(RemovalMixture::often);
        virtual.join();
        try (MemoryPool pool = MemoryPool.builder().build()) {
            for (int i = 0; i < TIMES; i++) {
                ofPool(pool, i);
            }
        }
        if (addresses == 1) { // of what is used, nothing may be left out
            throw new AssertionError();
        }
    }

    private static void often() {
        for (int i = 0; i < TIMES; i++) {
            open(100, 8);
            open(20_000, 8);
        }
        nest(20);
    }

    private static void in(Thread.Builder thread) throws InterruptedException {
        thread.start(() -> open(30, 8)).join();
    }

    private static void open(long size, long alignment) {
        try (Arena arena = MemoryPool.ofConfined()) {
            addresses ^= arena.allocate(size, alignment).address();
        }
    }

    private static void grow() {
        try (Arena arena = MemoryPool.ofConfined()) {
            for (int i = 0; i < 20; i++) {
                addresses ^= arena.allocate(100L * i).address();
            }
        }
    }

    private static void nest(int depth) {
        try (Arena arena = MemoryPool.ofConfined()) {
            addresses ^= arena.allocate(8).address();
            if (depth > 0) {
                nest(depth - 1);
            }
        }
    }

    private static void refused() {
        Arena arena = MemoryPool.ofConfined();
        arena.allocate(8);
        arena.close();
        try {
            arena.close();
        } catch (IllegalStateException closed) {
            addresses++;
        }
        try {
            arena.allocate(8);
        } catch (IllegalStateException closed) {
            addresses++;
        }
    }

    private static void ofJdk() {
        try (Arena arena = Arena.ofConfined()) {
            addresses ^= arena.allocate(100).address();
        }
    }

    private static void ofPool(MemoryPool pool, int size) {
        try (Arena arena = pool.openConfined();
                FreeingArena freeing = pool.openFreeing()) {
            addresses ^= arena.allocate(size).address() ^ freeing.allocate(100).address();
        }
    }
}
