package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

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
}
