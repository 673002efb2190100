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

/** What a heap leaves for its reserve, and what it gives back to the system while it rests. */
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

    @Test
    void uncommitUnneeded_noPageWasTakenSinceTheLook_uncommitsWhatTheHeapGaveBack() {
        PageSpace space = space(MemoryLimits.NONE);
        HeapPages pages = new HeapPages(space, Exhaustion.IGNORED, Long.MAX_VALUE);
        Extent ofAnother = space.take(4 * GRANULE, false);
        List<Extent> taken = take(pages, 4);
        space.give(ofAnother, 0);
        pages.give(taken.removeLast(), 0);
        pages.give(taken.removeLast(), 0);
        taken.add(pages.takeToEvacuate(GRANULE));
        assertThat(pages.uncommitUnneeded()).as("looks again").isTrue();
        assertThat(uncommitted(space)).isZero();

        // A cycle goes on: it takes a page and gives two.
        taken.add(pages.takeToEvacuate(GRANULE));
        pages.give(taken.removeFirst(), 0);
        pages.give(taken.removeFirst(), 0);
        assertThat(pages.uncommitUnneeded()).as("looks again").isFalse();
        assertThat(uncommitted(space)).isEqualTo(2 * GRANULE);
        assertThat(pages.uncommitUnneeded()).isFalse();
        assertThat(uncommitted(space)).as("once").isEqualTo(2 * GRANULE);
        taken.forEach(page -> pages.give(page, 0));
        space.close();
    }

    @Test
    void uncommitUnneeded_pageWasTakenForNewObjects_uncommitsNothing() {
        PageSpace space = space(MemoryLimits.NONE);
        HeapPages pages = new HeapPages(space, Exhaustion.IGNORED, Long.MAX_VALUE);
        List<Extent> taken = take(pages, 4);
        for (int i = 0; i < 10; i++) {
            pages.give(taken.removeLast(), 0);
            pages.give(taken.removeLast(), 0);
            assertThat(pages.uncommitUnneeded()).isTrue();
            taken.addAll(take(pages, 1));
            assertThat(pages.uncommitUnneeded()).isTrue();
            taken.addAll(take(pages, 1));
        }
        assertThat(uncommitted(space)).isZero();
        taken.forEach(page -> pages.give(page, 0));
        space.close();
    }

    private static List<Extent> take(HeapPages pages, int count) {
        List<Extent> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pages.take(GRANULE));
        }
        return taken;
    }

    private static long uncommitted(PageSpace space) {
        return space.statistics().uncommittedTotalBytes();
    }

    private static PageSpace space(MemoryLimits limits) {
        return new PageSpace(
                Providers.choose().provider(),
                new MemoryBudget(limits, ""),
                new Background("test-heap-pages"),
                new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                Exhaustion.IGNORED,
                null);
    }
}
