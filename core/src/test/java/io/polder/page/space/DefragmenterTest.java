package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MovableMemory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** Runs are ready before they are asked for; the ticks are done by hand. */
class DefragmenterTest extends PageFixture {
    private static final long LIMIT = 64 * MIB;

    /** More than any tick goes on for, after the last take. */
    private static final int MANY_TICKS = 50_000;

    @Test
    void defragmenter_expected_isReadyBeforeItIsTaken() {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        space.prefetch(8 * MIB, 3);
        byHand.defragmenter.tick();
        PageFigures ready = space.statistics();
        assertThat(ready.assembledInBackground()).isPositive();
        assertThat(space.largestRunBytes()).isGreaterThanOrEqualTo(8 * MIB);
        long calls = provider.calls(Call.REMAP) + provider.calls(Call.COMMIT);
        Extent[] pages = {
            space.take(8 * MIB, false), space.take(8 * MIB, false), space.take(8 * MIB, false)
        };
        assertThat(space.statistics().assembledOnAllocation()).isZero();
        assertThat(provider.calls(Call.REMAP) + provider.calls(Call.COMMIT)).isEqualTo(calls);
        give(pages);
        give(kept);
    }

    /** What is ready stays: a tick that finds nothing missing moves nothing, whatever the size. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6, 7, 8, 11})
    void defragmenter_nothingMissing_movesNothing(int granules) {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        space.prefetch(Granules.bytes(granules), 1);
        byHand.defragmenter.tick();
        long moved = space.statistics().movedBytes();
        assertThat(moved).isPositive();
        for (int i = 0; i < 10; i++) {
            byHand.defragmenter.tick();
        }
        assertThat(space.statistics().movedBytes()).isEqualTo(moved);
        assertThat(space.largestRunBytes()).isGreaterThanOrEqualTo(Granules.bytes(granules));
        give(kept);
    }

    /** Runs of exactly the length that is wanted are ready, and are no sources of others. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6, 7})
    void defragmenter_runsOfThatLengthAreFree_movesNothing(int granules) {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = new ArrayList<>();
        List<Extent> given = new ArrayList<>();
        for (int i = 0; i < LIMIT / Granules.bytes(granules); i++) {
            (i % 2 == 0 ? kept : given).add(space.take(Granules.bytes(granules), false));
        }
        give(given);
        space.prefetch(Granules.bytes(granules), 2);
        for (int i = 0; i < 10; i++) {
            byHand.defragmenter.tick();
        }
        assertThat(space.statistics().movedBytes()).isZero();
        give(kept);
    }

    @Test
    void defragmenter_notEnoughFree_movesNothing() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        space.prefetch(LIMIT / 2 + 2 * MIB, 1);
        byHand.defragmenter.tick();
        assertThat(space.statistics().movedBytes()).isZero();
        give(kept);
    }

    @Test
    void defragmenter_nothingTaken_ends() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        space.prefetch(8 * MIB, 100);
        give(space.take(6 * MIB, true));
        int ticks = 0;
        while (byHand.defragmenter.tick()) {
            assertThat(++ticks).isLessThan(MANY_TICKS);
        }
        assertThat(ticks).isPositive();
        give(kept);
    }

    @Test
    void defragmenter_remapRefused_losesNothing() {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        paint(kept);
        provider.fail(Call.REMAP, 3, Errno.ENOMEM);
        space.prefetch(8 * MIB, 1);
        byHand.defragmenter.tick();
        PageCheck.verifyAtRest(space);
        assertThat(space.refusals()).isEqualTo(1);
        assertThat(space.statistics().committedBytes()).isEqualTo(LIMIT);
        byHand.defragmenter.tick();
        assertThat(space.largestRunBytes()).isGreaterThanOrEqualTo(8 * MIB);
        checkPaint(kept);
        give(kept);
    }
}
