package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.leak.Collected;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The line alone, with room that is a number. What never comes fails by the time-out. */
@Timeout(300)
class WaitQueueTest {
    private static final long LIMIT = 4L << 20;
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final MemoryBudget budget = new MemoryBudget(new MemoryLimits(LIMIT, LIMIT), "");
    private final Extent page = new Extent(false);
    private final WaitQueue line = new WaitQueue(budget);

    /** Guarded by the line itself, which is its lock. */
    private int room;

    private final List<Integer> served = new ArrayList<>();

    /** Needs this much room; notes its number when it gets it. */
    private WaitQueue.Request needs(int number, int need) {
        return new WaitQueue.Request(
                need,
                () -> {
                    synchronized (line) {
                        if (room < need) {
                            throw budget.committed.exhausted(need);
                        }
                        room -= need;
                        served.add(number);
                        return page;
                    }
                });
    }

    private void makeRoom(int more) {
        synchronized (line) {
            room += more;
        }
        line.wake();
    }

    /** Starts a thread, and returns when it is in the queue. */
    private Thread join(boolean virtual, WaitQueue.Request request) {
        return join(line, virtual, request);
    }

    private Thread join(WaitQueue queue, boolean virtual, WaitQueue.Request request) {
        int before = queue.size();
        Runnable wait =
                () -> {
                    try {
                        queue.await(request, new Deadline(LONG, () -> false));
                    } catch (InterruptedException e) {
                        synchronized (line) {
                            served.add(-1);
                        }
                    }
                };
        Thread thread = virtual ? Thread.ofVirtual().start(wait) : Thread.ofPlatform().start(wait);
        Await.until(() -> queue.size() != before);
        return thread;
    }

    @Test
    void await_manyOfAnySize_areServedInOrder() throws InterruptedException {
        for (boolean virtual : new boolean[] {false, true}) {
            served.clear();
            WaitQueue patient = new WaitQueue(budget, LONG); // else a slow head is passed
            List<Thread> threads = new ArrayList<>();
            List<Integer> order = new ArrayList<>();
            int needed = 0;
            for (int i = 0; i < 50; i++) {
                int need = 1 + i * 7 % 11;
                needed += need;
                order.add(i);
                threads.add(join(patient, virtual, needs(i, need)));
            }
            for (int i = 0; i < needed; i++) {
                makeRoom(1);
                patient.wake();
            }
            for (Thread thread : threads) {
                Await.end(thread);
            }
            assertThat(served).isEqualTo(order);
            assertThat(patient.isEmpty()).isTrue();
            assertThat(room).isZero();
        }
    }

    /** A large head is not passed by a small one behind it that would fit, as long as it is new. */
    @Test
    void await_largeHead_holdsUpWhoComesAfter() throws InterruptedException {
        WaitQueue patient = new WaitQueue(budget, LONG);
        Thread large = join(patient, false, needs(0, 10));
        Thread small = join(patient, false, needs(1, 1));
        makeRoom(9);
        patient.wakeAll();
        assertThat(large.isAlive()).isTrue();
        makeRoom(1);
        patient.wake();
        Await.end(large);
        assertThat(served).isEqualTo(List.of(0));
        makeRoom(1);
        patient.wake();
        Await.end(small);
        assertThat(served).isEqualTo(List.of(0, 1));
    }

    /**
     * Who could be served is served, no matter who is before it; and in order among those alike.
     */
    @Test
    void await_headCannotBeServed_holdsUpNobodyForLong() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int i = 0; i < 20; i++) {
                        waitBehindWhoNeedMore(random);
                    }
                });
    }

    private void waitBehindWhoNeedMore(SplittableRandom random) throws InterruptedException {
        WaitQueue impatient = new WaitQueue(budget, TimeUnit.MILLISECONDS.toNanos(1));
        int most = 1 + random.nextInt(20);
        served.clear();
        room = 0;
        List<Thread> fitting = new ArrayList<>();
        List<Thread> large = new ArrayList<>();
        List<WaitQueue.Request> all = new ArrayList<>();
        int count = 2 + random.nextInt(30);
        for (int i = 0; i < count; i++) {
            int need = i == 0 ? most + 1 : 1 + random.nextInt(2 * most);
            WaitQueue.Request needs = needs(i, need);
            all.add(needs);
            (need <= most ? fitting : large).add(join(impatient, random.nextBoolean(), needs));
        }
        // Enough for one at a time: who is served gives back what it got.
        int gaveBack = 0;
        makeRoom(most);
        while (gaveBack < fitting.size()) {
            synchronized (line) {
                while (served.size() > gaveBack) {
                    room += (int) all.get(served.get(gaveBack++)).bytes();
                }
            }
            Thread.onSpinWait();
        }
        for (Thread thread : fitting) {
            Await.end(thread);
        }
        assertThat(served).hasSameSizeAs(fitting);
        for (int need = 1; need <= most; need++) {
            int alike = need;
            assertThat(served.stream().filter(number -> all.get(number).bytes() == alike))
                    .isSorted();
        }
        assertThat(large).allMatch(Thread::isAlive);
        makeRoom(100_000);
        for (Thread thread : large) {
            Await.end(thread);
        }
        assertThat(impatient.isEmpty()).isTrue();
    }

    /** What a limit never allows is refused, however long there would be to wait. */
    @Test
    void await_never_isRefusedAtOnce() {
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(
                        () ->
                                line.await(
                                        needs(0, (int) LIMIT + 1), new Deadline(LONG, () -> false)))
                .matches(MemoryExhaustedException::never);
        assertThat(line.isEmpty()).isTrue();
    }

    /** At the end of its time a thread tries, if all before it want more; unless it had none. */
    @Test
    void await_timeIsOverBehindALargeHead_triesOnce() throws Exception {
        WaitQueue patient = new WaitQueue(budget, LONG);
        Thread large = join(patient, false, needs(0, 10));
        makeRoom(1);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> patient.await(needs(1, 1), new Deadline(0, () -> false)));
        assertThat(patient.await(needs(2, 1), new Deadline(1, () -> false))).isSameAs(page);
        makeRoom(10);
        patient.wake();
        Await.end(large);
        assertThat(served).isEqualTo(List.of(2, 0));
    }

    /** What a thread needs to make room, before it joins the queue, nobody has held it up. */
    @Test
    void await_tookLongToMakeRoom_isNotHeldUpYet() throws Exception {
        long look = TimeUnit.MILLISECONDS.toNanos(20);
        WaitQueue impatient = new WaitQueue(budget, look);
        Thread large = join(impatient, false, needs(0, 10));
        long began = System.nanoTime();
        long[] made = new long[1];
        long[] tried = new long[1];
        Deadline deadline =
                new Deadline(
                        LONG,
                        () -> {
                            Await.until(() -> System.nanoTime() - began > 2 * look);
                            made[0] = System.nanoTime();
                            return false;
                        });
        WaitQueue.Request small =
                new WaitQueue.Request(
                        1,
                        () -> {
                            tried[0] = System.nanoTime();
                            return page;
                        });
        assertThat(impatient.await(small, deadline)).isSameAs(page);
        assertThat(tried[0] - made[0]).isGreaterThanOrEqualTo(look);
        makeRoom(10);
        impatient.wake();
        Await.end(large);
    }

    @Test
    void await_roomForSeveral_wakesOneAfterTheOther() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            threads.add(join(true, needs(i, 1)));
        }
        makeRoom(10);
        for (Thread thread : threads) {
            Await.end(thread);
        }
        assertThat(served).hasSize(10).isSorted();
    }

    /**
     * An attempt that fails gives back what it took, and the thread that does that wakes the first.
     */
    @Test
    void await_attemptThatWakesTheFirst_parksAllTheSame() throws InterruptedException {
        WaitQueue patient = new WaitQueue(budget, LONG);
        AtomicInteger attempts = new AtomicInteger();
        WaitQueue.Request needs = needs(0, 1);
        WaitQueue.Request request =
                new WaitQueue.Request(
                        Long.MAX_VALUE,
                        () -> {
                            attempts.incrementAndGet();
                            patient.wake();
                            return needs.attempt().get();
                        });
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        patient.await(request, new Deadline(LONG, () -> false));
                                    } catch (InterruptedException e) {
                                        throw new AssertionError("nobody does", e);
                                    }
                                });
        Await.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        assertThat(attempts).hasValue(1);
        synchronized (line) {
            room = 1;
        }
        patient.wake();
        Await.end(thread);
        assertThat(attempts).hasValue(2);
    }

    @Test
    void await_timeoutZero_triesOnce() {
        AtomicInteger attempts = new AtomicInteger();
        WaitQueue.Request needs = needs(0, 1);
        WaitQueue.Request counting =
                new WaitQueue.Request(
                        Long.MAX_VALUE,
                        () -> {
                            attempts.incrementAndGet();
                            return needs.attempt().get();
                        });
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> line.await(counting, new Deadline(0, () -> false)))
                .withMessageContaining("timeoutMillis=0")
                .withMessageContaining("committedMaxBytes=" + LIMIT)
                .withCauseInstanceOf(MemoryExhaustedException.class);
        assertThat(attempts).hasValue(1);
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void await_timeoutBehindOthers_namesTheLimit_andLeaves() throws InterruptedException {
        Thread head = join(false, needs(0, 1));
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> line.await(needs(1, 1), new Deadline(1_000_000, () -> false)))
                .withMessageContaining("timeoutMillis=1")
                .withMessageContaining("committedMaxBytes=" + LIMIT)
                .withMessageContaining("keptFreeBytes=" + LIMIT + ", requestedBytes=1,")
                .withMessageContaining("exceededByBytes=1");
        assertThat(line.size()).isEqualTo(1);
        makeRoom(1);
        Await.end(head);
        assertThat(served).isEqualTo(List.of(0));
    }

    @Test
    void await_timeoutBehindOthers_limitOnAddresses_namesIt() throws InterruptedException {
        long none = MemoryLimits.ADDRESS_SPACE_BYTES;
        WaitQueue queue = new WaitQueue(new MemoryBudget(new MemoryLimits(none, LIMIT), ""));
        Thread head = join(queue, false, needs(0, 1));
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> queue.await(needs(1, 1), new Deadline(1_000_000, () -> false)))
                .withMessageContaining("reservedMaxBytes=" + LIMIT)
                .withMessageContaining("keptFreeBytes=" + LIMIT + ", requestedBytes=1,");
        makeRoom(1);
        queue.wake();
        Await.end(head);
    }

    /** Who is before it may wait for hours, and is not to keep it for as long. */
    @Test
    void await_timeoutBehindOthers_isForgotten() {
        Thread head = join(false, needs(0, 1));
        WeakReference<Thread> gone = waitInVain();
        Collected.until("the thread is forgotten", () -> gone.refersTo(null));
        assertThat(line.size()).isEqualTo(1);
        makeRoom(1);
        Await.end(head);
    }

    private WeakReference<Thread> waitInVain() {
        Deadline deadline = new Deadline(1, () -> false);
        Runnable waits =
                () ->
                        assertThatExceptionOfType(MemoryExhaustedException.class)
                                .isThrownBy(() -> line.await(needs(1, 1), deadline));
        Thread thread = Thread.ofPlatform().start(waits);
        Await.end(thread);
        return new WeakReference<>(thread);
    }

    @Test
    void await_interruptedHead_leaves_andTheNextIsServed() throws InterruptedException {
        Thread head = join(false, needs(0, 10));
        Thread next = join(true, needs(1, 1));
        makeRoom(1);
        head.interrupt();
        Await.end(head);
        Await.end(next);
        assertThat(served).containsExactlyInAnyOrder(-1, 1);
    }

    @Test
    void await_interruptedInTheMiddle_leavesTheOrder() throws InterruptedException {
        Thread first = join(false, needs(0, 1));
        Thread middle = join(false, needs(1, 1));
        Thread last = join(false, needs(2, 1));
        middle.interrupt();
        Await.end(middle);
        assertThat(line.size()).isEqualTo(2);
        makeRoom(1);
        Await.end(first);
        makeRoom(1);
        Await.end(last);
        assertThat(served).isEqualTo(List.of(-1, 0, 2));
    }

    @Test
    void await_interruptedBefore_throwsAndTriesNothing() {
        makeRoom(1);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> line.await(needs(0, 1), new Deadline(LONG, () -> false)));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(served).isEmpty();
        assertThat(line.isEmpty()).isTrue();
    }

    @Test
    void await_attemptFailsOtherwise_endsTheWaiting() {
        WaitQueue.Request broken =
                new WaitQueue.Request(
                        Long.MAX_VALUE,
                        () -> {
                            throw new IllegalStateException("shut");
                        });
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> line.await(broken, new Deadline(LONG, () -> false)));
        assertThat(line.isEmpty()).isTrue();
    }

    /** An attempt may park for reasons of its own, and so use up what a wake-up has left. */
    @Test
    void await_wokenDuringAnAttemptThatParks_triesAgain() throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        Extent got =
                line.await(
                        new WaitQueue.Request(
                                Long.MAX_VALUE,
                                () -> {
                                    if (attempts.incrementAndGet() == 1) {
                                        line.wake();
                                        LockSupport.park();
                                        throw budget.committed.exhausted(1);
                                    }
                                    return page;
                                }),
                        new Deadline(LONG, () -> false));
        assertThat(got).isSameAs(page);
        assertThat(attempts).hasValue(2);
    }

    /** Those who give and those who wait meet at any moment, and everybody is served. */
    @Test
    void await_manyGiversAndWaiters_losesNoWakeUp() throws InterruptedException {
        int threads = 4;
        int rounds = 20_000;
        List<Thread> all = new ArrayList<>();
        AtomicInteger done = new AtomicInteger();
        for (int t = 0; t < threads; t++) {
            Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            int number = t;
            all.add(
                    builder.start(
                            () -> {
                                for (int i = 0; i < rounds; i++) {
                                    await(needs(number, 1));
                                    done.incrementAndGet();
                                    synchronized (line) {
                                        served.clear();
                                    }
                                    makeRoom(1);
                                }
                            }));
        }
        makeRoom(1);
        for (Thread thread : all) {
            Await.end(thread);
        }
        assertThat(done).hasValue(threads * rounds);
        assertThat(room).isEqualTo(1);
        assertThat(line.isEmpty()).isTrue();
    }

    private void await(WaitQueue.Request request) {
        try {
            line.await(request, new Deadline(LONG, () -> false));
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this thread", e);
        }
    }

    /** A thread that waits within its own attempt is not behind itself. */
    @Test
    void await_withinAnAttempt_hasTheTurnOfItsThread() throws InterruptedException {
        AtomicInteger room = new AtomicInteger();
        WaitQueue.Request outer =
                new WaitQueue.Request(
                        Long.MAX_VALUE,
                        () -> {
                            room.incrementAndGet();
                            assertThat(line.bytesOfRunningThread()).isPositive();
                            WaitQueueTest.this.await(needs(7, 0));
                            return page;
                        });
        assertThat(line.bytesOfRunningThread()).isZero();
        assertThat(line.await(outer, new Deadline(LONG, () -> false))).isSameAs(page);
        assertThat(served).containsExactly(7);
        assertThat(room).hasValue(1);
        assertThat(line.bytesOfRunningThread()).isZero();
    }

    /** A wake-up that an error kept from being given is made good for, and the gone are passed. */
    @Test
    void await_wakeUpLost_looksForItself() {
        WaitQueue looking = new WaitQueue(budget, TimeUnit.MILLISECONDS.toNanos(1));
        AtomicInteger attempts = new AtomicInteger();
        WaitQueue.Request third =
                new WaitQueue.Request(
                        Long.MAX_VALUE,
                        () -> {
                            if (attempts.incrementAndGet() < 3) {
                                throw budget.committed.exhausted(1);
                            }
                            return page;
                        });
        try {
            assertThat(looking.await(third, new Deadline(LONG, () -> false))).isSameAs(page);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this thread", e);
        }
        assertThat(looking.isEmpty()).isTrue();
    }
}
