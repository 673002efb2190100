package io.polder.heap.space;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

/** Pages for parts of a heap; after each test all must have been given back. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class SpaceFixture {
    private final PageSpace space =
            new PageSpace(
                    Providers.choose().provider(),
                    new MemoryBudget(MemoryLimits.NONE, ""),
                    new Background("test-heap-parts"),
                    new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                    Exhaustion.IGNORED,
                    null);

    final HeapPages pages = new HeapPages(space, Exhaustion.IGNORED, 1L << 40);
    final RegionMap map = new RegionMap();
    final Regions regions = new Regions(pages, map, new Loans());

    /** Others, within a limit of their own. */
    final HeapPages pagesWithin(long maxBytes) {
        return new HeapPages(space, Exhaustion.IGNORED, maxBytes);
    }

    @AfterEach
    final void giveBack() {
        for (Region region : regions.list()) {
            long _ = regions.close(region);
        }
        giveBackMore();
        if (pages.takenBytes() != 0) {
            throw new AssertionError("all pages are given back: taken=" + pages.takenBytes());
        }
        space.close();
    }

    /** Gives back what is not in regions. */
    void giveBackMore() {}
}
