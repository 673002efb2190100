package io.polder;

import io.polder.page.Page;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The examples of the Javadoc and the README, compiled. */
final class PoolSnippets {
    private PoolSnippets() {}

    static String greeting() {
        // @start region="greeting"
        try (Arena arena = MemoryPool.ofConfined()) {
            MemorySegment greeting = arena.allocateFrom("Hello from below sea level");
            return greeting.getString(0);
        }
        // @end
    }

    static long freeing() {
        // @start region="freeing"
        try (FreeingArena arena = MemoryPool.common().openFreeing()) {
            MemorySegment report = arena.allocate(4000, 8);
            arena.free(report);
            for (int i = 0; i < 100; i++) {
                MemorySegment line = arena.allocateFrom("Line " + i);
                arena.free(line);
            }
            return arena.allocatedBytes(); // 0
        }
        // @end
    }

    static long page(MemoryPool pool) {
        // @start region="page"
        PageCache pages = pool.pages();
        try (Page page = pages.allocate(32 << 20);
                Arena arena = Arena.ofShared()) {
            MemorySegment buffer = page.segment(arena);
            return fill(buffer);
        }
        // @end
    }

    static long block(MemoryPool pool) {
        // @start region="block"
        BlockAllocator blocks = pool.blocks();
        MemorySegment message = blocks.allocate(64, 8);
        message.setString(0, "from one thread to another");
        try {
            return send(message); // who has it last frees it
        } finally {
            blocks.free(message);
        }
        // @end
    }

    private static long send(MemorySegment message) {
        return message.getString(0).length();
    }

    private static long fill(MemorySegment buffer) {
        return buffer.fill((byte) 1).byteSize();
    }
}
