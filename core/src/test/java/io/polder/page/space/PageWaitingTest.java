package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Threads that wait for pages. What never comes fails by the time-out. */
class PageWaitingTest extends PageFixture {
    private static final long LIMIT = 32 * MIB;
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    /** Refuses the next commit, but only once it is told to go on. */
    private final CountDownLatch committing = new CountDownLatch(1);

    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean refuses;
    private Thread lastToJoin = Thread.currentThread();

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void commit(long address, long bytes) {
                if (refuses) {
                    refuses = false;
                    committing.countDown();
                    Await.open(goOn);
                    throw new OsCallException("slow commit", Errno.ENOMEM, address, bytes);
                }
                super.commit(address, bytes);
            }
        };
    }

    /** Starts a thread that waits for a page; returns when it is in the queue. */
    private CompletableFuture<Extent> join(PageSpace space, boolean virtual, long bytes) {
        int before = space.statistics().waiting();
        CompletableFuture<Extent> page = new CompletableFuture<>();
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        lastToJoin =
                builder.start(
                        () -> {
                            try {
                                page.complete(
                                        space.takeOrWait(
                                                bytes, false, new Deadline(LONG, () -> false)));
                            } catch (Throwable failure) {
                                page.completeExceptionally(failure);
                            }
                        });
        Await.until(() -> page.isDone() || space.statistics().waiting() != before);
        return page;
    }

    /**
     * Each needs more than half, so one has its page before the next is served, and no less than
     * those before it, so nobody may pass, however long that takes.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void takeInLine_many_areServedInOrder(boolean virtual) {
        PageSpace space = space(LIMIT);
        Extent all = space.take(LIMIT, false);
        List<Integer> served = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            int number = i;
            order.add(i);
            ends.add(
                    join(space, virtual, Granules.bytes(9 + i / 4))
                            .thenAccept(
                                    page -> {
                                        served.add(number);
                                        space.give(page, page.bytes());
                                    }));
        }
        space.give(all, 0);
        ends.forEach(CompletableFuture::join);
        assertThat(served).isEqualTo(order);
        assertThat(space.statistics().waiting()).isZero();
    }

    /** Enough comes free in pieces: the head makes one of them. */
    @Test
    void takeInLine_headMustAssemble_isServed() {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        List<Extent> pages = fill(space);
        List<Extent> kept = giveEverySecond(space, pages);
        paint(kept);
        CompletableFuture<Extent> head = join(space, false, 20 * MIB);
        CompletableFuture<Extent> next = join(space, true, 20 * MIB);
        space.give(kept.remove(3), 0);
        assertThat(head).isNotDone();
        assertThat(next).isNotDone();
        space.give(kept.remove(5), 0);
        Extent page = head.join();
        assertThat(page.bytes()).isEqualTo(20 * MIB);
        assertThat(space.statistics().assembledOnAllocation()).isEqualTo(1);
        checkPaint(kept);
        assertThat(next).isNotDone();
        space.give(page, 0);
        give(next.join());
        give(kept);
    }

    @Test
    void takeInLine_fits_doesNotWait() throws InterruptedException {
        PageSpace space = space(LIMIT);
        Extent page = space.takeOrWait(LIMIT, true, new Deadline(0, () -> false));
        assertThat(firstByteThatIsNotZero(page)).isEqualTo(-1);
        give(page);
    }

    @Test
    void takeInLine_timeIsOver_namesTheLimit() {
        PageSpace space = space(LIMIT);
        Extent all = space.take(LIMIT, false);
        for (long timeoutNanos : new long[] {0, 2_000_000}) {
            assertThatExceptionOfType(MemoryExhaustedException.class)
                    .isThrownBy(
                            () ->
                                    space.takeOrWait(
                                            2 * MIB,
                                            false,
                                            new Deadline(timeoutNanos, () -> false)))
                    .withMessageContaining("timeoutMillis=" + timeoutNanos / 1_000_000)
                    .withMessageContaining("committedMaxBytes=" + LIMIT);
        }
        CompletableFuture<Extent> head = join(space, false, 2 * MIB);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.takeOrWait(4 * MIB, false, new Deadline(0, () -> false)))
                .withMessageContaining("timeoutMillis=0")
                .withMessageContaining("committedMaxBytes=" + LIMIT);
        give(all);
        space.roomCame();
        give(head.join());
    }

    /** Nobody waits, hours here, for what can never be. */
    @Test
    void takeInLine_largerThanTheLimit_isRefusedAtOnce() {
        PageSpace space = space(LIMIT);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(
                        () -> space.takeOrWait(LIMIT + 1, false, new Deadline(LONG, () -> false)))
                .withMessageStartingWith("committed memory must stay within its limit: ")
                .withMessageContaining("committedMaxBytes=" + LIMIT);
        assertThat(space.statistics().waiting()).isZero();
    }

    /** A refusal of the system is waited out like a limit. */
    @Test
    void takeInLine_commitRefused_waits() {
        PageSpace space = space(LIMIT);
        provider.failAlways(Call.COMMIT, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(
                        () ->
                                space.takeOrWait(
                                        2 * MIB, false, new Deadline(1_000_000, () -> false)))
                .withMessageContaining("timeoutMillis=1")
                .withMessageContaining("injected COMMIT");
        provider.heal();
        give(space.take(2 * MIB, false));
    }

    @Test
    void takeInLine_interrupted_leaves_andTheNextIsServed() throws InterruptedException {
        PageSpace space = space(LIMIT);
        Extent most = space.take(30 * MIB, false);
        CompletableFuture<Extent> head = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        head.complete(
                                                space.takeOrWait(
                                                        LIMIT,
                                                        false,
                                                        new Deadline(LONG, () -> false)));
                                    } catch (InterruptedException e) {
                                        head.completeExceptionally(e);
                                    }
                                });
        Await.until(() -> space.statistics().waiting() != 0);
        CompletableFuture<Extent> next = join(space, false, 2 * MIB);
        thread.interrupt();
        give(next.join());
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(head::join)
                .withCauseInstanceOf(InterruptedException.class);
        Await.end(thread);
        give(most);
    }

    @Test
    void shut_withWaiters_endsThemAll() {
        PageSpace space = space(LIMIT);
        Extent all = space.take(LIMIT, false);
        List<CompletableFuture<Extent>> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(join(space, i % 2 == 0, (1 + i) * MIB));
        }
        assertThatIllegalStateException()
                .isThrownBy(space::close)
                .withMessageContaining("takenBytes=" + LIMIT);
        for (CompletableFuture<Extent> waiter : waiters) {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(waiter::join)
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContaining("closed");
        }
        assertThat(space.statistics().waiting()).isZero();
        give(all);
    }

    /** What a take was charged for and did not get, somebody may be waiting for. */
    @Test
    void take_commitRefusedWhileOthersWait_wakesThem() {
        PageSpace space = space(LIMIT);
        Extent most = space.take(30 * MIB, false);
        refuses = true;
        CompletableFuture<Void> refused =
                CompletableFuture.runAsync(() -> give(space.take(2 * MIB, false)));
        Await.open(committing);
        CompletableFuture<Extent> waiter = join(space, false, 2 * MIB);
        Await.until(() -> lastToJoin.getState() == Thread.State.TIMED_WAITING);
        goOn.countDown();
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(refused::join)
                .withCauseInstanceOf(MemoryExhaustedException.class)
                .withMessageContaining("slow commit");
        give(waiter.join());
        give(most);
    }
}
