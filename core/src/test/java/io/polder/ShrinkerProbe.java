package io.polder;

import io.polder.page.Page;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A program for {@link ChildJvm}, to which the JDK has no more memory to give than it takes for a
 * page: a pool without limits has it, and an arena needs as much. The argument is its kind.
 */
final class ShrinkerProbe {
    private static final long BYTES = 64 << 20;

    private ShrinkerProbe() {}

    public static void main(String[] args) {
        Deque<Page> kept = new ArrayDeque<>();
        try (MemoryPool pool = MemoryPool.builder().name("shrinking").build()) {
            kept.add(pool.pages().allocate(BYTES));
            Runnable _ = pool.addShrinker(_ -> close(kept), () -> "keeps a page");
            try (Arena arena = args[0].equals("shared") ? pool.openShared() : pool.openConfined()) {
                arena.allocate(BYTES).fill((byte) 1);
                System.out.println("kept: " + kept.size());
                arena.allocate(BYTES);
            } catch (OutOfMemoryError refused) {
                System.out.println(refused.getMessage());
            }
        }
    }

    private static long close(Deque<Page> kept) {
        Page page = kept.poll();
        if (page == null) {
            return 0;
        }
        page.close();
        return BYTES;
    }
}
