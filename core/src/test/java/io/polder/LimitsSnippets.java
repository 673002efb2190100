package io.polder;

import io.polder.page.Page;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Queue;

/** The examples of docs/limits.md, compiled. */
final class LimitsSnippets {
    // @start region="limit"
    void main() {
        try (MemoryPool pool =
                MemoryPool.builder().name("frontend").committedMaxBytes(16 << 20).build()) {
            Page page = pool.pages().allocate(4 << 20);
            try (Arena arena = pool.openConfined()) {
                page.segment(arena).set(ValueLayout.JAVA_INT, 0, 7);
                arena.allocate(32 << 20);
            } catch (OutOfMemoryError full) {
                IO.println(full.getMessage());
            } finally {
                page.close();
            }
        }
    }

    // @end

    // @start region="shrinker"
    static Runnable addShrinker(MemoryPool pool, Queue<Page> spare) { // a thread-safe queue
        return pool.addShrinker(wanted -> close(spare, wanted), () -> "spare: " + spare.size());
    }

    static long close(Queue<Page> spare, long wanted) {
        long freed = 0;
        for (Page page; freed < wanted && (page = spare.poll()) != null; ) {
            freed += page.bytes();
            page.close();
        }
        return freed;
    }
    // @end
}
