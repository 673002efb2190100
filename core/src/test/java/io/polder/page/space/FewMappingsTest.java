package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** A kernel that allows few mappings: pages stay within their share, and nothing is refused. */
class FewMappingsTest extends RandomPagesFixture {
    private static final long MAP_COUNT_MAX = 240;

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public long maxMapCount() {
                return MAP_COUNT_MAX;
            }
        };
    }

    @Test
    void take_noMappingsLeft_stillSucceeds() {
        MovableMemory.assume();
        PageSpace space = space(128 * MIB);
        List<Extent> kept = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            give(kept);
            kept = giveEverySecond(space, fill(space));
            paint(kept);
            for (int i = 0; i < 4; i++) {
                Extent page = space.take(16 * MIB, false);
                kept.add(page);
                paint(List.of(page));
                PageCheck.verifyAtRest(space);
            }
            checkPaint(kept);
        }
        assertThat(space.statistics().mappingsLimit()).isEqualTo(MAP_COUNT_MAX / 4);
        assertThat(space.statistics().assembledOnAllocation()).isPositive();
        assertThat(space.statistics().uncommittedTotalBytes()).isPositive();
        give(kept);
    }

    @Test
    void random_matchesTheModel() {
        MovableMemory.assume();
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, false);
        assertThat(outcome.end().assembledOnAllocation()).isPositive();
        assertThat(outcome.refusals()).isZero();
    }

    /** Many reservations, which cost mappings too. */
    @Test
    void random_fewAddresses_matchesTheModel() {
        Outcome outcome = run(LIMIT * 2, false);
        assertThat(outcome.refusals()).isZero();
    }

    @Test
    void random_failingCalls_matchesTheModel() {
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, true);
        assertThat(outcome.refusals()).isPositive();
    }
}
