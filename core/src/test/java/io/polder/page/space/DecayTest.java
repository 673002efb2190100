package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MovableMemory;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What is free for a period goes back, slice by slice; the slices are ended by hand. */
class DecayTest extends PageFixture {
    private static final long LIMIT = 64 * MIB;
    private static final int GRANULES = (int) (LIMIT / PageSpace.GRANULE_BYTES);

    private static long committed(PageSpace space) {
        return space.statistics().committedBytes();
    }

    /** Nothing for one period, everything within two; then the same again. */
    @Test
    void decay_loadEnds_keepsItForAPeriod_andIsEmptyWithinTwo() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        for (int cycle = 0; cycle < 2; cycle++) {
            give(fill(space));
            int slices = 0;
            for (int i = 0; i < Decay.SLICES; i++) {
                assertThat(byHand.decay.slice()).isTrue();
                slices++;
                assertThat(committed(space)).as("slice %d", slices).isEqualTo(LIMIT);
            }
            long before = LIMIT;
            boolean more = true;
            while (more) {
                more = byHand.decay.slice();
                slices++;
                assertThat(slices).isLessThanOrEqualTo(2 * Decay.SLICES);
                assertThat(before - committed(space)).as("not at once").isLessThan(LIMIT / 2);
                before = committed(space);
            }
            assertThat(committed(space)).isZero();
            assertThat(PageFixture.hasWaste(space)).isFalse();
        }
    }

    @Test
    void decay_whileDemandGrows_uncommitsNothing() {
        PageSpace space = space(8 * LIMIT);
        ByHand byHand = new ByHand(space);
        give(space.take(8 * MIB, false));
        List<Extent> kept = new ArrayList<>();
        for (int i = 1; i <= 3 * Decay.SLICES; i++) {
            kept.add(space.take(10 * MIB, false));
            assertThat(byHand.decay.slice()).isTrue();
            assertThat(space.statistics().uncommittedTotalBytes()).isZero();
        }
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        assertThat(space.statistics().uncommittedTotalBytes()).isEqualTo(8 * MIB);
        give(kept);
    }

    /** Of what is used again and again in a period, nothing is given back; the rest is. */
    @Test
    void decay_usedInPart_keepsWhatWasUsed() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        give(fill(space));
        for (int i = 0; i < 3 * Decay.SLICES; i++) {
            Extent used = space.take(24 * MIB, false);
            give(used);
            byHand.decay.slice();
        }
        assertThat(committed(space)).isEqualTo(24 * MIB);
    }

    /** So it is if the page had to be assembled. */
    @Test
    void decay_assembledInBetween_keepsWhatWasUsed() {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        List<Extent> kept = giveEverySecond(space, fill(space));
        for (int i = 0; i < Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        give(space.take(32 * MIB, false));
        assertThat(space.statistics().assembledOnAllocation()).isEqualTo(1);
        for (int i = 0; i < Decay.SLICES - 1; i++) {
            byHand.decay.slice();
            assertThat(committed(space)).isEqualTo(LIMIT);
        }
        give(kept);
    }

    /** What a trim has left in between was not free all the time. */
    @Test
    void decay_trimInBetween_beginsAnew() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        Extent page = space.take(LIMIT / 2, false);
        give(space.take(LIMIT / 2, false));
        for (int i = 0; i < Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        space.trim();
        give(page);
        for (int i = 0; i < Decay.SLICES; i++) {
            byHand.decay.slice();
            assertThat(committed(space)).isEqualTo(LIMIT / 2);
        }
    }

    @Test
    void decay_uncommitRefused_triesAgain() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        give(fill(space));
        provider.failAlways(Call.UNCOMMIT, Errno.ENOMEM);
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            assertThat(byHand.decay.slice()).isTrue();
        }
        assertThat(committed(space)).isEqualTo(LIMIT);
        provider.heal();
        for (int i = 0; i < Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        assertThat(committed(space)).isZero();
    }

    /** As by an assembly in another thread, which fails then. */
    @Test
    void decay_allThatIsFreeIsIsolated_looksAgain() {
        PageSpace space = space(LIMIT);
        ByHand byHand = new ByHand(space);
        give(fill(space));
        PageState state = space.state;
        Isolation isolated = new Isolation(state);
        synchronized (state) {
            state.recoverIfNeededLocked();
            isolated.isolateWarmLocked(GRANULES, false, null);
        }
        assertThat(PageFixture.hasWaste(space)).as("all of it is isolated").isFalse();
        assertThat(byHand.decay.slice()).isTrue();
        isolated.putBack();
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        assertThat(committed(space)).isZero();
        assertThat(byHand.decay.slice()).isFalse();
    }

    /** From the highest address down: small pages are taken from the lowest. */
    @Test
    void uncommit_takesTheHighestFirst() {
        PageSpace space = space(LIMIT);
        List<Extent> pages = fill(space);
        give(pages);
        new ByHand(space).uncommitter.uncommit(5);
        String map = PageCheck.letters(pages.get(0).reservation());
        assertThat(map.substring(0, GRANULES)).matches("[wd]{27}\\.{5}");
    }
}
