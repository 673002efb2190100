package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryLimits;
import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Random operations against a sorted map of what is taken, with painted payload. */
@SuppressWarnings("NullAway.Init")
class RandomPagesTest extends PageFixture {
    private static final int OPERATIONS = 1500;

    private final long seed = Seed.get();

    @Test
    void random_matchesTheModel() {
        run(64 * MIB, MemoryLimits.ADDRESS_SPACE_BYTES, false);
        PageStatistics end = statistics;
        assertThat(end.assembledOnAllocation()).isPositive();
        assertThat(end.assembledInBackground()).isPositive();
        assertThat(end.movedBytes()).isPositive();
        assertThat(pages.decayedBytes).isPositive();
        assertThat(pages.refused).isPositive();
        assertThat(end.refusals()).isZero();
    }

    /** Addresses run out before memory does. */
    @Test
    void random_fewAddresses_matchesTheModel() {
        run(64 * MIB, 96 * MIB, false);
        assertThat(pages.refused).isPositive();
    }

    @Test
    void random_failingCalls_matchesTheModel() {
        run(64 * MIB, MemoryLimits.ADDRESS_SPACE_BYTES, true);
        assertThat(statistics.refusals()).isPositive();
        for (Call call : new Call[] {Call.COMMIT, Call.UNCOMMIT, Call.REMAP}) {
            assertThat(provider.failures(call)).as("%s", call).isPositive();
        }
    }

    @Test
    void random_failingCalls_fewAddresses_matchesTheModel() {
        run(64 * MIB, 96 * MIB, true);
        assertThat(statistics.refusals()).isPositive();
    }

    private RandomPages pages;
    private PageStatistics statistics;

    private void run(long committedMaxBytes, long reservedMaxBytes, boolean failing) {
        Seed.naming(
                seed,
                () -> {
                    PageSpace space =
                            space(
                                    new MemoryLimits(committedMaxBytes, reservedMaxBytes),
                                    new PageSettings(TimeUnit.DAYS.toNanos(1), false));
                    pages = new RandomPages(space, provider, new SplittableRandom(seed), failing);
                    pages.run(OPERATIONS);
                    statistics = space.statistics();
                });
    }
}
