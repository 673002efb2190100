package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.List;

/** How much address space is reserved, and when. */
class PageGrowthTest extends PageFixture {
    private static final long LIMIT = 64 * MIB;

    @Test
    void growth_reservesSeveralTimesTheLimit_once() {
        PageSpace space = space(LIMIT);
        give(fill(space));
        assertThat(space.statistics().reservedBytes()).isEqualTo(4 * LIMIT);
        assertThat(provider.calls(Call.RESERVE)).isEqualTo(1);
    }

    @Test
    void growth_largerThanWhatIsLeft_reservesAnother() {
        PageSpace space = space(MemoryLimits.ADDRESS_SPACE_BYTES);
        Extent small = small(space);
        assertThat(space.statistics().reservedBytes()).isEqualTo(PageAllocator.FIRST_BYTES);
        Extent large = space.take(PageAllocator.FIRST_BYTES, false);
        assertThat(space.statistics().reservedBytes()).isEqualTo(3 * PageAllocator.FIRST_BYTES);
        give(small, large);
        space.trim();
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    /** A program that trims when it is idle does not begin with more and more addresses. */
    @Test
    void growth_afterAllWasReleased_beginsAnew() {
        PageSpace space = space(MemoryLimits.ADDRESS_SPACE_BYTES);
        for (int i = 0; i < 3; i++) {
            Extent small = small(space);
            assertThat(space.statistics().reservedBytes()).isEqualTo(PageAllocator.FIRST_BYTES);
            give(small);
            space.trim();
        }
    }

    /** Whoever grows by steps, others in turns with him, is moved seldom. */
    @Test
    void takeToGrow_far_growsSeveralTimesItsSizeBesideOthers() {
        PageSpace space = space(MemoryLimits.ADDRESS_SPACE_BYTES);
        long bytes = 40 * MIB;
        Extent[] pages = {
            space.takeToGrow(bytes, false, true),
            space.takeToGrow(bytes, false, true),
            space.takeToGrow(bytes, false, true)
        };
        for (long size = bytes; size <= 8 * bytes; size += bytes / 2) {
            for (Extent page : pages) {
                assertThat(space.extend(page, size)).as("size=%s", size).isTrue();
            }
        }
        give(pages);
        space.trim();
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    @Test
    void takeToGrow_far_whereMemoryHasRoomBehind_takesThat() {
        PageSpace space = space(MemoryLimits.ADDRESS_SPACE_BYTES);
        give(space.takeToGrow(96 * MIB, false, true));
        give(space.takeToGrow(80 * MIB, false, true));
        assertThat(space.statistics().committedBytes()).isEqualTo(96 * MIB);
        assertThat(provider.calls(Call.RESERVE)).isEqualTo(1);
    }

    @Test
    void takeToGrow_far_whereMemoryIsShort_takesWhatHasNoRoomBehind() {
        PageSpace space = space(LIMIT);
        List<Extent> pages = fill(space);
        int free = pages.size() * 3 / 4;
        give(pages.subList(0, free));
        Extent page = space.takeToGrow(Granules.bytes(free), false, true);
        assertThat(space.extend(page, page.bytes() + 1)).isFalse();
        give(page);
        give(pages.subList(free, pages.size()));
    }
}
