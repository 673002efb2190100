package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.Await;
import io.polder.background.Background;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.Exhaustion;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.JavaHeap;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MovableMemory;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Errors in the middle of what a space does: nothing is lost, and nobody waits for ever. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PageErrorTest extends PageFixture {
    private static final long LIMIT = 32 * MIB;

    /** Not one that the code under test knows. */
    private static final class Injected extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Throws in the n-th call of a kind, before or after it was carried out. */
    private final class Throwing extends DelegatingProvider {
        private int remapsLeft = Integer.MAX_VALUE;
        private int uncommitsLeft = Integer.MAX_VALUE;
        private boolean reserves = true;
        private boolean afterwards;

        Throwing() {
            super(provider);
        }

        @Override
        public void remap(long from, long to, long bytes) {
            boolean last = --remapsLeft == 0;
            if (last && !afterwards) {
                throw new Injected();
            }
            super.remap(from, to, bytes);
            if (last) {
                throw new Injected();
            }
        }

        @Override
        public void uncommit(long[] addresses, long[] sizes, int count) {
            if (--uncommitsLeft == 0) {
                throw new Injected();
            }
            super.uncommit(addresses, sizes, count);
        }

        @Override
        public long reserve(long bytes, long alignment) {
            if (!reserves) {
                throw new OutOfMemoryError("injected");
            }
            return super.reserve(bytes, alignment);
        }
    }

    /** What the deep thread took and has not given. */
    private @Nullable Extent own;

    private final Throwing throwing = new Throwing();
    private final MemoryBudget budget =
            new MemoryBudget(new MemoryLimits(LIMIT, MemoryLimits.ADDRESS_SPACE_BYTES), "");
    private final PageSpace space =
            new PageSpace(
                    throwing,
                    budget,
                    new Background("test-errors"),
                    new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                    Exhaustion.IGNORED,
                    null);

    private void requireNothingLeft(List<Extent> kept) {
        checkPaint(kept);
        give(kept);
        PageCheck.verifyAtRest(space);
        assertThat(space.statistics().takenBytes()).isZero();
        long _ = space.trim();
        assertThat(space.statistics().committedBytes()).isZero();
        assertThat(budget.committed.bytes()).isZero();
        space.close();
        assertThat(budget.reserved.bytes()).isZero();
        assertThat(provider.reservedBytes()).isZero();
    }

    /** As after an error that came right behind the store by which a close decides. */
    @Test
    void trim_closeOfAPageEndedBeforeAnybodyWasTold_givesItBack() {
        Extent page = space.take(2 * MIB, false);
        page.abandoned = true;
        assertThat(space.trim()).isEqualTo(2 * MIB);
        requireNothingLeft(List.of());
    }

    /** Of the granule that was being moved nobody knows where it is; both places are cared for. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "3, false", "3, true", "4, false", "4, true"})
    void take_errorInTheMiddleOfAMove_losesNothing_andReadsAsZero(int failing, boolean afterwards) {
        MovableMemory.assume();
        List<Extent> kept = new ArrayList<>();
        List<Extent> pages = fill(space);
        paint(pages);
        for (int i = 0; i < pages.size(); i++) {
            if (i % 2 == 0) {
                space.give(pages.get(i), PageSpace.GRANULE_BYTES);
            } else {
                kept.add(pages.get(i));
            }
        }
        long charged = budget.committed.bytes();
        throwing.afterwards = afterwards;
        throwing.remapsLeft = failing;
        assertThatExceptionOfType(Injected.class).isThrownBy(() -> space.take(8 * MIB, true));
        PageCheck.verifyAtRest(space);
        assertThat(budget.committed.bytes()).isEqualTo(charged);
        Extent page = space.take(10 * MIB, true);
        assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
        checkPaint(kept);
        give(page);
        requireNothingLeft(kept);
    }

    /** Memory that moves takes with it what is known of it; what stays keeps that. */
    @Test
    void take_assembled_whatIsKnownOfTheMemoryGoesWithIt() {
        MovableMemory.assume();
        List<Extent> pages = fill(space);
        for (Extent page : pages) {
            space.clean(page, 3000);
            page.reservation().dirt.dirtied(page, 100);
        }
        PageReservation reservation = pages.getFirst().reservation();
        List<Extent> kept = giveEverySecond(space, pages);
        provider.fail(FailingMemoryProvider.Call.REMAP, 2, Errno.ENOMEM);
        Assembler assembler = new ByHand(space).assembler;
        assertThat(assembler.assemblePage(new Extent(false), 4)).isFalse();
        PageCheck.verifyAtRest(space);
        checkKnown(reservation);
        Extent page = space.take(8 * MIB, false);
        assertThat(space.statistics().assembledOnAllocation()).isEqualTo(1);
        PageCheck.verifyAtRest(space);
        checkKnown(reservation);
        kept.add(page);
        paint(kept);
        requireNothingLeft(kept);
    }

    private static void checkKnown(PageReservation reservation) {
        DirtyGranules dirt = reservation.dirt;
        int dirtyGranules = 0;
        for (int i = 0; i < reservation.size; i++) {
            boolean has = dirt.dirty[i] > 0;
            assertThat(dirt.dirty[i]).isEqualTo(has ? 100 : 0);
            assertThat(dirt.zeroed[i]).isEqualTo(has ? 3000 : 0);
            assertThat(has).isNotEqualTo(reservation.isCold(i));
            dirtyGranules += has ? 1 : 0;
        }
        assertThat(dirtyGranules).isEqualTo(LIMIT / PageSpace.GRANULE_BYTES);
    }

    /**
     * What was being moved may have kept memory that nobody counts: a page of it reads as zero all
     * the same, and the memory goes with the reservation.
     */
    @Test
    void take_whereAMoveWasCutShort_readsAsZero() {
        MovableMemory.assume();
        List<Extent> pages = fill(space);
        paint(pages);
        List<Extent> kept = new ArrayList<>();
        for (int i = 0; i < pages.size(); i++) {
            if (i % 2 == 0) {
                space.give(pages.get(i), PageSpace.GRANULE_BYTES);
            } else {
                kept.add(pages.get(i));
            }
        }
        throwing.remapsLeft = 3;
        assertThatExceptionOfType(Injected.class).isThrownBy(() -> space.take(8 * MIB, true));
        while (kept.size() < LIMIT / PageSpace.GRANULE_BYTES) {
            Extent page = space.take(1, true);
            assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
            kept.add(page);
        }
        paint(kept);
        requireNothingLeft(kept);
    }

    /** Memory that nobody counts is still there if the next move to that place is refused. */
    @Test
    void take_whereAMoveWasCutShortAndAnotherRefused_readsAsZero() {
        MovableMemory.assume();
        PageSpace unlimited = unlimited();
        List<Extent> kept = new ArrayList<>();
        List<Extent> scattered = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            (i % 2 == 0 ? scattered : kept).add(small(unlimited));
        }
        int rest = kept.getFirst().reservation().size - 16;
        assumeTrue(rest > 2, "addresses are reserved ahead");
        kept.add(unlimited.take(Granules.bytes(rest - 2), false)); // two have no memory
        paint(scattered);
        scattered.forEach(page -> unlimited.give(page, PageSpace.GRANULE_BYTES));
        Assembler assembler = new ByHand(unlimited).assembler;
        throwing.remapsLeft = 1;
        assertThatExceptionOfType(Injected.class)
                .isThrownBy(() -> assembler.assemblePage(new Extent(false), 2));
        provider.fail(FailingMemoryProvider.Call.REMAP, 1, Errno.ENOMEM);
        assertThat(assembler.assemblePage(new Extent(false), 1)).isFalse();
        assertThat(provider.failures(FailingMemoryProvider.Call.REMAP)).isEqualTo(1);
        PageCheck.verifyAtRest(unlimited);
        for (int i = 0; i < 10; i++) {
            Extent page = unlimited.take(1, true);
            assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
            kept.add(page);
        }
        give(kept);
        unlimited.close();
        space.close();
    }

    private PageSpace unlimited() {
        return new PageSpace(
                throwing,
                new MemoryBudget(MemoryLimits.NONE, ""),
                new Background("test-errors"),
                new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                Exhaustion.IGNORED,
                null);
    }

    @Test
    void trim_errorInTheMiddle_leavesNothingIsolated() {
        List<Extent> kept = giveEverySecond(space, fill(space));
        paint(kept);
        throwing.uncommitsLeft = 1;
        assertThatExceptionOfType(Injected.class).isThrownBy(space::trim);
        PageCheck.verifyAtRest(space);
        assertThat(space.statistics().committedBytes()).isEqualTo(LIMIT);
        requireNothingLeft(kept);
    }

    /** What was charged before an error is refunded, and nothing is mapped. */
    @Test
    void take_errorWhileReserving_chargesNothing() {
        throwing.reserves = false;
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> space.take(MIB, false));
        assertThat(budget.reserved.bytes()).isZero();
        assertThat(budget.committed.bytes()).isZero();
        throwing.reserves = true;
        requireNothingLeft(fill(space).stream().peek(page -> paint(List.of(page))).toList());
    }

    /** The error may have been that the Java heap is full. */
    @Test
    void reclaim_runsOfLengthsThatTheSpaceNeverHad_makesNoObject() {
        assumeTrue(provider.canUncommit(), "memory comes when it is touched");
        PageSpace large = space(16L << 30);
        List<Extent> pages = new ArrayList<>();
        for (int count = 1; count <= 30; count++) {
            pages.add(large.take(count * PageSpace.GRANULE_BYTES, false));
        }
        List<Extent> kept = new ArrayList<>();
        for (int i = 0; i < pages.size(); i++) {
            if (i % 2 == 0) {
                pages.get(i).abandoned = true;
            } else {
                kept.add(pages.get(i));
            }
        }
        long allocated =
                JavaHeap.allocatedBy(
                        () -> {
                            synchronized (large.state) {
                                large.state.abandoned = true;
                                large.state.recoverIfNeededLocked();
                            }
                        });
        assertThat(allocated).isLessThan(JavaHeap.NEXT_TO_NOTHING);
        PageCheck.verifyAtRest(large);
        give(kept);
    }

    /** A change that was cut short is finished by the next who takes the lock. */
    @Test
    void reclaim_changeCutOff_isDoneAnew() throws ReflectiveOperationException {
        List<Extent> kept = giveEverySecond(space, fill(space));
        paint(kept);
        PageState state = space.state;
        for (String sum : List.of("warmFree", "taken", "isolated")) {
            var field = PageState.class.getDeclaredField(sum);
            field.setAccessible(true);
            field.setLong(state, field.getLong(state) + 3);
            state.inTransition = true;
            PageCheck.verifyAtRest(space);
        }
        state.committedBytes += 3;
        state.reservedBytes += 3;
        state.inTransition = true;
        PageCheck.verifyAtRest(space);
        requireNothingLeft(kept);
    }

    /** A thread that comes to the end of the stack, at any depth, harms nobody. */
    @Test
    void takeAndGive_endOfTheStack_losesNothing() throws InterruptedException {
        Extent bystander = space.take(4 * MIB, false);
        paint(List.of(bystander));
        for (int i = 0; i < 200; i++) {
            AtomicReference<@Nullable Throwable> died = new AtomicReference<>();
            Thread deep =
                    new Thread(
                            null,
                            () -> {
                                try {
                                    down(0);
                                } catch (Throwable thrown) {
                                    died.set(thrown);
                                }
                            },
                            "deep",
                            200_000 + 16L * i);
            deep.start();
            Await.end(deep);
            assertThat(died.get()).isInstanceOf(StackOverflowError.class);
            PageCheck.verifyAtRest(space);
            Extent notGiven = own;
            if (notGiven != null) {
                space.give(notGiven, 0);
                own = null;
            }
            assertThat(space.statistics().takenBytes()).isEqualTo(4 * MIB);
        }
        requireNothingLeft(List.of(bystander));
    }

    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private void down(int depth) {
        own = space.take((1 + depth % 3) * PageSpace.GRANULE_BYTES, false);
        space.give(own, 0);
        own = null;
        down(depth + 1);
    }
}
