package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MovableMemory;
import io.polder.memory.OsCallException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** Calls that the system refuses: nothing is lost, nothing doubled, and the next works. */
class PageFailureTest extends PageFixture {
    private static final long LIMIT = 32 * MIB;

    /** The same story, with each single call of a kind failing once. */
    @ParameterizedTest
    @EnumSource(names = {"RESERVE", "RELEASE", "COMMIT", "UNCOMMIT", "REMAP", "RENEW"})
    void anyCall_failing_losesNothing(Call call) {
        if (call == Call.REMAP || call == Call.RENEW) {
            MovableMemory.assume();
        }
        long failing = 0;
        long callsBefore;
        do {
            failing++;
            callsBefore = provider.failures(call);
            provider.fail(call, failing, Errno.ENOMEM);
            story(call);
        } while (provider.failures(call) > callsBefore);
        assertThat(failing).as("how many calls there are, and one").isGreaterThan(1);
    }

    private void story(Call call) {
        PageSpace space = space(LIMIT);
        PageModel model = new PageModel(space);
        ByHand byHand = new ByHand(space);
        for (int i = 0; i < LIMIT / PageSpace.GRANULE_BYTES; i++) {
            take(space, model, call, 2 * MIB, false);
        }
        giveEverySecond(space, model);
        PageModel.Owned assembled = take(space, model, call, 16 * MIB, true);
        give(space, model, assembled);
        space.trim();
        model.check();
        take(space, model, call, 10 * MIB, true);
        giveEverySecond(space, model);
        space.prefetch(6 * MIB, 2);
        byHand.defragmenter.tick();
        model.check();
        byHand.uncommitter.renewCold();
        model.check();
        take(space, model, call, 6 * MIB, false);
        model.all().forEach(owned -> give(space, model, owned));
        for (int i = 0; i < 2 * Decay.SLICES; i++) {
            byHand.decay.slice();
            model.check();
        }
        try {
            space.close();
        } catch (IllegalStateException refused) {
            assertThat(refused).hasCauseInstanceOf(OsCallException.class);
            space.close();
        }
        assertThat(provider.reservedBytes()).isZero();
    }

    /** Takes a page; if the one call fails then, the message names it, and the next take works. */
    private static PageModel.Owned take(
            PageSpace space, PageModel model, Call call, long bytes, boolean zero) {
        Extent page;
        try {
            page = space.take(bytes, zero);
        } catch (MemoryExhaustedException refused) {
            assertThat(refused)
                    .hasMessageContaining("injected " + call)
                    .hasMessageContaining("errno=ENOMEM")
                    .hasCauseInstanceOf(OsCallException.class);
            model.check();
            page = space.take(bytes, zero);
        }
        if (zero) {
            assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
        }
        PageModel.Owned owned = model.add(page, page.count);
        model.check();
        return owned;
    }

    private static void giveEverySecond(PageSpace space, PageModel model) {
        List<PageModel.Owned> all = model.all();
        for (int i = 0; i < all.size(); i += 2) {
            give(space, model, all.get(i));
        }
    }

    private static void give(PageSpace space, PageModel model, PageModel.Owned owned) {
        model.remove(owned);
        space.give(owned.page, owned.paintedBytes());
        model.check();
    }

    /** What was moved stays moved, what was not stays where it is, and the page comes otherwise. */
    @Test
    void take_remapFailsInTheMiddle_losesNothing() {
        MovableMemory.assume();
        int granules = 8;
        for (int failing = 1; failing <= granules; failing++) {
            PageSpace space = space(LIMIT);
            List<Extent> pages = fill(space);
            paint(pages);
            List<Extent> kept = giveEverySecond(space, pages);
            provider.fail(Call.REMAP, failing, Errno.ENOMEM);

            Extent page = space.take(Granules.bytes(granules), false);

            assertThat(page.count).isEqualTo(granules);
            assertThat(space.refusals()).isEqualTo(1);
            assertThat(space.statistics().movedBytes()).isEqualTo(Granules.bytes(failing - 1));
            assertThat(space.statistics().committedBytes()).isEqualTo(LIMIT);
            PageCheck.verifyAtRest(space);
            checkPaint(kept);
            give(page);
            give(kept);
        }
    }

    /** What is dirty is known to be, wherever it went. */
    @Test
    void take_zero_remapFailsInTheMiddle_readsAsZero() {
        for (int failing = 1; failing <= 8; failing++) {
            PageSpace space = space(LIMIT);
            List<Extent> pages = fill(space);
            paint(pages);
            List<Extent> kept = new ArrayList<>();
            for (int i = 0; i < pages.size(); i++) {
                if (i % 2 == 0) {
                    space.give(pages.get(i), pages.get(i).bytes());
                } else {
                    kept.add(pages.get(i));
                }
            }
            provider.fail(Call.REMAP, failing, Errno.ENOMEM);
            provider.failWhen(Call.UNCOMMIT, n -> n == 1, Errno.ENOMEM);

            List<Extent> zeroes = new ArrayList<>();
            try {
                zeroes.add(space.take(16 * MIB, true));
            } catch (MemoryExhaustedException refused) {
                assertThat(refused).hasMessageContaining("injected");
                zeroes.add(space.take(16 * MIB, true));
            }
            assertThat(firstByteThatIsNotZero(zeroes.get(0))).isEqualTo(-1);
            give(zeroes);
            give(kept);
        }
    }

    @Test
    void take_nothingCanBeMovedNorUncommitted_namesTheCall_andWorksLater() {
        PageSpace space = space(LIMIT);
        List<Extent> kept = giveEverySecond(space, fill(space));
        paint(kept);
        for (Call call : List.of(Call.REMAP, Call.UNCOMMIT, Call.RENEW)) {
            provider.failAlways(call, Errno.EAGAIN);
        }
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(16 * MIB, false))
                .withMessageContaining("injected UNCOMMIT")
                .withMessageContaining("errno=EAGAIN")
                .withCauseInstanceOf(OsCallException.class);
        PageCheck.verifyAtRest(space);
        checkPaint(kept);
        assertThat(space.statistics().committedBytes()).isEqualTo(LIMIT);
        provider.heal();
        Extent page = space.take(16 * MIB, false);
        checkPaint(kept);
        give(page);
        give(kept);
    }

    @Test
    void take_reserveRefused_triesLess_thenNamesTheCall() {
        PageSpace space = space(LIMIT);
        provider.failAlways(Call.RESERVE, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(4 * MIB, false))
                .withMessageContaining("injected RESERVE")
                .withMessageContaining("bytes=" + 4 * MIB);
        assertThat(space.refusals()).as("128, 64, ... 4 MiB").isEqualTo(6);
        provider.fail(Call.RESERVE, 1, Errno.ENOMEM);
        give(space.take(4 * MIB, false));
        assertThat(space.statistics().reservedBytes()).isEqualTo(64 * MIB);
    }

    /** A call that can never work is not tried again with less. */
    @Test
    void take_reserveMisunderstood_isTriedOnce() {
        PageSpace space = space(LIMIT);
        provider.failAlways(Call.RESERVE, Errno.EINVAL);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(4 * MIB, false))
                .withMessageContaining("errno=EINVAL");
        assertThat(provider.calls(Call.RESERVE)).isEqualTo(1);
    }

    @Test
    void take_commitRefused_chargesNothing() {
        PageSpace space = space(LIMIT);
        provider.fail(Call.COMMIT, 1, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(LIMIT, false))
                .withMessageContaining("injected COMMIT");
        PageCheck.verifyAtRest(space);
        assertThat(space.statistics().committedBytes()).isZero();
        assertThat(space.state.budget.committed.bytes()).isZero();
        give(space.take(LIMIT, false));
    }

    @Test
    void trim_refusedInTheMiddle_keepsTheRestCommitted() {
        PageSpace space = space(LIMIT);
        List<Extent> kept = giveEverySecond(space, fill(space));
        provider.fail(Call.UNCOMMIT, 4, Errno.ENOMEM);
        long first = space.trim();
        PageCheck.verifyAtRest(space);
        assertThat(space.statistics().committedBytes()).isEqualTo(LIMIT - first);
        assertThat(space.trim()).isEqualTo(16 * MIB - first);
        assertThat(PageFixture.hasWaste(space)).isFalse();
        give(kept);
    }

    @Test
    void close_releaseRefused_canBeTriedAgain() {
        PageSpace space = space(LIMIT);
        give(space.take(2 * MIB, false));
        provider.failAlways(Call.RELEASE, Errno.ENOMEM);
        assertThatIllegalStateException()
                .isThrownBy(space::close)
                .withMessageContaining("reservedBytes=" + 4 * LIMIT)
                .withCauseInstanceOf(OsCallException.class);
        assertThatIllegalStateException().isThrownBy(() -> space.take(1, false));
        PageCheck.verifyAtRest(space);
        provider.heal();
        space.close();
        assertThat(provider.reservedBytes()).isZero();
    }
}
