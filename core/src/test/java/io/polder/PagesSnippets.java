package io.polder;

import io.polder.page.Page;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** The example of docs/pages.md, compiled. */
final class PagesSnippets {
    private PagesSnippets() {}

    // @start region="pages"
    static long fill(MemoryPool pool) throws InterruptedException {
        PageCache pages = pool.pages();
        pages.prefetch(32 << 20, 1); // soon one of 32 MiB is needed
        try (Page page = pages.allocate(20_000_000, Duration.ofSeconds(1));
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = page.segment(arena); // 20 MiB of zeros
            buffer.fill((byte) 1);
            return page.bytes();
        } // the arena ends the view, and the page goes back
    }
    // @end
}
