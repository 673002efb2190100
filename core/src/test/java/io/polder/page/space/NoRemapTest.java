package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Where memory cannot be moved, what is scattered is uncommitted, and fresh memory taken. */
class NoRemapTest extends RandomPagesFixture {
    /** What is done whenever it is asked whether memory can be uncommitted. */
    private Runnable whenAsked = () -> {};

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public boolean canRemap() {
                return false;
            }

            @Override
            public boolean canUncommit() {
                whenAsked.run();
                return super.canUncommit();
            }

            @Override
            public void remap(long from, long to, long bytes) {
                throw new AssertionError("what cannot remap is not asked to");
            }
        };
    }

    @Test
    void take_scattered_uncommitsElsewhere() {
        PageSpace space = space(64 * MIB);
        List<Extent> pages = fill(space);
        List<Extent> kept = giveEverySecond(space, pages);
        paint(kept);

        Extent page = space.take(32 * MIB, true);

        assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
        assertThat(space.statistics().committedBytes()).isEqualTo(64 * MIB);
        assertThat(space.statistics().uncommittedTotalBytes()).isEqualTo(32 * MIB);
        assertThat(space.statistics().assembledOnAllocation()).isZero();
        checkPaint(kept);
        give(page);
        give(kept);
    }

    /** Others were faster, and a call of theirs was refused: that says nothing of this request. */
    @Test
    void take_scatteredAndAnotherThreadIsRefused_triesAgain() {
        PageSpace space = space(8 * MIB);
        List<Extent> kept = giveEverySecond(space, fill(space));
        List<Extent> theirs = new ArrayList<>();
        whenAsked =
                () -> {
                    if (Thread.holdsLock(space.state)) {
                        return; // before it is looked what can be uncommitted, no lock is held
                    }
                    if (theirs.isEmpty()) {
                        theirs.add(small(space));
                        theirs.add(small(space));
                        space.state.refused(new OsCallException("theirs", Errno.ENOMEM, 0, 0));
                    } else {
                        whenAsked = () -> {};
                        give(theirs);
                    }
                };
        Extent page = space.take(4 * MIB, false);
        assertThat(theirs).hasSize(2);
        give(page);
        give(kept);
    }

    @Test
    void random_matchesTheModel() {
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, false);
        assertThat(outcome.end().movedBytes()).isZero();
        assertThat(outcome.refusals()).isZero();
    }

    @Test
    void random_failingCalls_matchesTheModel() {
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, true);
        assertThat(outcome.end().movedBytes()).isZero();
        assertThat(outcome.refusals()).isPositive();
    }
}
