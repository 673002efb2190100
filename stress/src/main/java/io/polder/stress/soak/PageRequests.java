package io.polder.stress.soak;

import io.polder.MemoryPool;
import io.polder.page.Page;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.SplittableRandom;

/** What requests do with pages. */
final class PageRequests {
    private static final int GRANULES_MAX = 8;
    private static final Duration PATIENCE = Duration.ofMillis(5);

    private final Places places;

    PageRequests(Places places) {
        this.places = places;
    }

    /** Takes one, mostly small, writes to all of it and leaves it; some wait for memory. */
    void take(MemoryPool pool, SplittableRandom random) throws InterruptedException {
        PageCache pages = pool.pages();
        int granules = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(GRANULES_MAX);
        long bytes = granules * PageCache.GRANULE_BYTES;
        Page page =
                switch (random.nextInt(3)) {
                    case 0 -> pages.allocate(bytes, PATIENCE);
                    case 1 -> pages.allocate(PageCache.GRANULE_BYTES, 4 * PageCache.GRANULE_BYTES);
                    default -> pages.allocate(bytes);
                };
        HeldPage held = new HeldPage(page, random.nextLong());
        try (Arena arena = pool.openConfined()) {
            Painted _ = Painted.ofZeros(page.segment(arena), held.seed);
        } catch (Throwable refused) {
            page.close();
            throw refused;
        }
        places.leave(random, held);
    }

    /** Says what will be needed. */
    void expect(MemoryPool pool, SplittableRandom random) {
        pool.pages().prefetch(PageCache.GRANULE_BYTES * (1 + random.nextInt(GRANULES_MAX)), 1);
    }

    /** The view that it is checked by has an arena of the JDK's, so that it is never refused. */
    private record HeldPage(Page page, long seed) implements Held {
        @Override
        public void end() {
            try (Arena arena = Arena.ofConfined()) {
                new Painted(page.segment(arena), seed).check();
            }
            page.close();
        }
    }
}
