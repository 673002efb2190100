package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What new objects leave for the reserve, whether the heap has the limit or its pool. */
class HeapPagesTest {
    private static final long GRANULE = PageSpace.GRANULE_BYTES;
    private static final int GRANULES = 6;
    private static final long LIMIT = GRANULES * GRANULE;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void take_reserveIsMissing_leavesRoomForIt(boolean ownLimit) {
        MemoryLimits limits = ownLimit ? MemoryLimits.NONE : new MemoryLimits(LIMIT, 64 * LIMIT);
        PageSpace space = space(limits);
        long most = ownLimit ? LIMIT : Long.MAX_VALUE;
        HeapPages pages = new HeapPages(space, Exhaustion.IGNORED, most);
        List<Extent> taken = new ArrayList<>();
        pages.reserveBytes = 2 * GRANULE;
        for (int i = 0; i < GRANULES - 2; i++) {
            taken.add(pages.take(GRANULE));
        }
        assertThatThrownBy(() -> pages.take(GRANULE))
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessageContaining("keptFreeBytes=" + 2 * GRANULE)
                .hasMessageContaining("exceededByBytes=" + GRANULE);
        taken.add(pages.takeToEvacuate(2 * GRANULE));
        pages.reservedBytes = 2 * GRANULE;

        // A cycle has used the reserve, and gives a page back: that is the next reserve.
        pages.reservedBytes = 0;
        pages.give(taken.removeFirst(), 0);
        assertThatThrownBy(() -> pages.take(GRANULE)).isInstanceOf(MemoryExhaustedException.class);
        pages.reserveBytes = 0;
        taken.add(pages.take(GRANULE));
        taken.forEach(page -> pages.give(page, 0));
        space.close();
    }

    @Test
    void take_reserveIsThere_takesTheLastPage() {
        PageSpace space = space(new MemoryLimits(LIMIT, 64 * LIMIT));
        HeapPages pages = new HeapPages(space, Exhaustion.IGNORED, Long.MAX_VALUE);
        pages.reserveBytes = GRANULE;
        Extent reserve = pages.takeToEvacuate(GRANULE);
        pages.reservedBytes = GRANULE;
        Extent rest = pages.take(LIMIT - GRANULE);
        assertThat(pages.takenBytes()).isEqualTo(LIMIT);
        pages.give(rest, 0);
        pages.give(reserve, 0);
        space.close();
    }

    private static PageSpace space(MemoryLimits limits) {
        return new PageSpace(
                Providers.choose().provider(),
                new MemoryBudget(limits),
                new Background("test-heap-pages"),
                new PageSettings(TimeUnit.DAYS.toNanos(1), false));
    }
}
