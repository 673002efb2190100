package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A space is closed while a thread is in the middle of a take. */
class PageCloseTest extends PageFixture {
    private final CountDownLatch reserving = new CountDownLatch(1);
    private final CountDownLatch mayReserve = new CountDownLatch(1);

    /** What is done before the next granule is moved. */
    private volatile Runnable beforeMove = () -> {};

    /** Reserves when that is allowed. */
    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public long reserve(long bytes, long alignment) {
                reserving.countDown();
                Await.open(mayReserve);
                return super.reserve(bytes, alignment);
            }

            @Override
            public void remap(long from, long to, long bytes) {
                Runnable now = beforeMove;
                beforeMove = () -> {};
                now.run();
                super.remap(from, to, bytes);
            }
        };
    }

    @Test
    void close_whileAnotherThreadReserves_leavesNothingReserved() {
        PageSpace space = space(64 * MIB);
        try (ScriptedThread taker = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Boolean> taken =
                    taker.begin(
                            () -> {
                                assertThatIllegalStateException().isThrownBy(() -> small(space));
                                return true;
                            });
            Await.open(reserving);
            FutureTask<Boolean> closed = closer.beginBlocking(space::close);
            mayReserve.countDown();
            boolean _ = ScriptedThread.get(taken);
            boolean _ = ScriptedThread.get(closed);
            assertThat(space.statistics().reservedBytes()).isZero();
        } finally {
            mayReserve.countDown();
        }
    }

    /**
     * The space is closed again with the same bytes lost, which are free by then. So a page that
     * became taken after the first attempt would count as lost, and be unmapped under its owner.
     */
    @Test
    void close_whileAThreadAssembles_letsItHaveNothing() {
        MovableMemory.assume();
        mayReserve.countDown();
        PageSpace space = space(8 * MIB);
        List<Extent> lost = giveEverySecond(space, fill(space)); // by errors, as far as is known
        long lostBytes = lost.size() * PageSpace.GRANULE_BYTES;
        beforeMove =
                () ->
                        assertThatIllegalStateException()
                                .isThrownBy(() -> space.close(lostBytes))
                                .withMessageStartingWith("a closed space must release everything");
        assertThatIllegalStateException()
                .isThrownBy(() -> space.take(4 * MIB, false))
                .withMessageStartingWith("the pool is closed");
        space.close(lostBytes);
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    /** Nobody else tells who waits for the last page that it is there again. */
    @Test
    void close_whileAThreadCommitsWhatIsRefused_isToldOfWhatCameBack() {
        checkTold(
                space ->
                        assertThatExceptionOfType(MemoryExhaustedException.class)
                                .isThrownBy(() -> small(space)));
    }

    /** What is refused is tried again, and then the space is closed. */
    @Test
    void close_whileAThreadCommitsWhatItWouldWaitFor_isToldOfWhatCameBack() {
        Deadline minute = new Deadline(TimeUnit.MINUTES.toNanos(1), () -> false);
        checkTold(
                space ->
                        assertThatIllegalStateException()
                                .isThrownBy(
                                        () ->
                                                space.takeOrWait(
                                                        PageSpace.GRANULE_BYTES, false, minute))
                                .withMessageStartingWith("the pool is closed"));
    }

    private void checkTold(Consumer<PageSpace> taker) {
        mayReserve.countDown();
        AtomicInteger told = new AtomicInteger();
        Exhaustion exhaustion =
                new Exhaustion() {
                    @Override
                    public void memoryFreed() {
                        told.incrementAndGet();
                    }
                };
        PageSpace[] space = new PageSpace[1];
        MemoryProvider refusing =
                new DelegatingProvider(provider) {
                    @Override
                    public void commit(long address, long bytes) {
                        space[0].shut();
                        throw new OsCallException("commit", Errno.ENOMEM, address, bytes);
                    }
                };
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        PageSettings settings = new PageSettings(TimeUnit.DAYS.toNanos(1), false, false);
        space[0] = new PageSpace(refusing, budget, background, settings, exhaustion, null);
        assumeTrue(refusing.canUncommit(), "otherwise all has memory from the beginning");
        taker.accept(space[0]);
        assertThat(told).hasPositiveValue();
        space[0].close();
    }
}
