package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

/** Where memory comes with addresses, each page is a reservation, released when it is free. */
class PlainPagesTest extends RandomPagesFixture {

    @Override
    MemoryProvider real() {
        return Providers.plain();
    }

    @Test
    void take_reservesJustThePage() {
        PageSpace space = space(64 * MIB);
        Extent page = space.take(6 * MIB, true);
        assertThat(space.statistics().reservedBytes()).isEqualTo(6 * MIB);
        assertThat(space.statistics().committedBytes()).isEqualTo(6 * MIB);
        assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
        give(page);
        assertThat(space.statistics().committedBytes()).isEqualTo(6 * MIB);
        assertThat(space.trim()).isEqualTo(6 * MIB);
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    @Test
    void take_noRoom_releasesWhatIsFreeAsAWhole() {
        PageSpace space = space(16 * MIB);
        Extent a = space.take(8 * MIB, false);
        Extent b = space.take(6 * MIB, false);
        give(a);
        Extent page = space.take(10 * MIB, false);
        assertThat(space.statistics().reservedBytes()).isEqualTo(16 * MIB);
        give(b, page);
    }

    /** The one case in which enough is free and a request fails, as documented. */
    @Test
    void take_freeInPieces_isRefused() {
        PageSpace space = space(16 * MIB);
        give(space.take(16 * MIB, false));
        Extent middle = space.take(2 * MIB, false);
        Extent next = space.take(2 * MIB, false);
        give(middle);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(14 * MIB, false))
                .withMessageContaining("committedMaxBytes=" + 16 * MIB);
        Extent page = space.take(12 * MIB, false);
        give(next, page);
    }

    /** What is free in pieces is no room for it, but what others have free as a whole is. */
    @Test
    void take_freeInPieces_hasOthersGiveBack() {
        PageSpace space = space(16 * MIB);
        give(space.take(8 * MIB, false));
        Extent first = space.take(2 * MIB, false);
        MemoryBudget budget = space.state.budget;
        assertThat(budget.committed.tryCharge(4 * MIB)).isTrue();
        budget.add(
                new MemoryBudget.Shrinker() {
                    private long free = 4 * MIB;

                    @Override
                    public long uncommitFree(long wantedBytes) {
                        long bytes = free;
                        free = 0;
                        budget.committed.refund(bytes);
                        return bytes;
                    }

                    @Override
                    public long releaseFree(long wantedBytes) {
                        return 0;
                    }
                });
        Extent page = space.take(8 * MIB, false);
        assertThat(space.statistics().committedBytes()).isEqualTo(16 * MIB);
        give(first, page);
    }

    /** A reservation goes as a whole, and only if all of it was free for a period. */
    @Test
    void decay_releasesWhatWasNotNeeded() {
        PageSpace space = space(64 * MIB);
        ByHand byHand = new ByHand(space);
        Extent a = space.take(12 * MIB, false);
        Extent b = space.take(8 * MIB, false);
        give(a, b);
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            Extent used = space.take(10 * MIB, false);
            give(used);
            byHand.decay.slice();
        }
        assertThat(space.statistics().reservedBytes()).isEqualTo(12 * MIB);
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            byHand.decay.slice();
        }
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    @Test
    void random_matchesTheModel() {
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, false);
        assertThat(outcome.end().movedBytes()).isZero();
    }

    @Test
    void random_failingCalls_matchesTheModel() {
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, true);
        assertThat(outcome.end().movedBytes()).isZero();
    }
}
