package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.polder.Await;
import io.polder.Crew;
import io.polder.arena.OtherThread;
import io.polder.gate.ScriptedThread;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Blocks that other threads free, threads that end, and threads that sleep. */
class BlockThreadsTest extends BlockFixture {
    private static List<Long> allocate(BlockSpace space, int count, long bytes) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(space.allocate(bytes));
        }
        return blocks;
    }

    private static void inThread(Runnable work) {
        try (ExecutorService thread = Crew.of(1)) {
            thread.submit(work).get();
        } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void free_byAnotherThread_isFoundBeforeASpanIsTaken() {
        BlockSpace space = space();
        for (int round = 0; round < 100; round++) {
            List<Long> blocks = allocate(space, 500, 1000);
            inThread(() -> blocks.forEach(space::free));
        }
        assertThat(parts(space).chunks().statistics().usedBytes())
                .as("no more than one round takes, and a span")
                .isLessThanOrEqualTo((500 / 64 + 2) * SpanMap.UNIT_BYTES);
        assertThat(told.get()).isPositive();
    }

    /** It counts as used until its owner has taken it back, but here that can be seen. */
    @Test
    void free_twiceByAnotherThread_isRefused() {
        BlockSpace space = space();
        long block = space.allocate(5000);
        inThread(
                () -> {
                    space.free(block);
                    assertThatIllegalArgumentException().isThrownBy(() -> space.free(block));
                });
        long other = space.allocate(5000);
        space.free(other);
    }

    @Test
    void trim_sleepingOwner_leavesNothingOfWhatOthersFreed() {
        BlockSpace space = space();
        try (ScriptedThread sleeper = ScriptedThread.platform()) {
            List<Long> blocks = sleeper.call(() -> allocate(space, 5000, 300));
            sleeper.run(() -> space.free(space.allocate(77)));
            blocks.forEach(space::free);
            trim(parts(space));
            assertThat(committedBytes(space)).isZero();
            sleeper.run(() -> space.free(space.allocate(300)));
        }
    }

    @Test
    void tick_sleepingOwner_givesBackWhatOthersFreed() {
        BlockSpace space = space();
        try (ScriptedThread sleeper = ScriptedThread.platform()) {
            sleeper.call(() -> allocate(space, 5000, 300)).forEach(space::free);
            int ticks = 0;
            while (space.tick()) {
                assertThat(++ticks).isLessThan(5);
            }
            assertThat(parts(space).chunks().statistics().usedBytes()).isZero();
        }
    }

    @Test
    void adopt_endedThread_hasItsSpansAndItsRemoteFrees() throws Exception {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        Thread first = Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, 64, 1000)));
        Await.end(first);
        space.free(blocks.removeLast());
        List<Long> next = new ArrayList<>();
        Thread second = Thread.ofPlatform().start(() -> next.addAll(allocate(space, 1, 1000)));
        Await.end(second);
        assertThat(next.getFirst() & -SpanMap.UNIT_BYTES)
                .as("a block of the span of the thread that ended")
                .isEqualTo(blocks.getFirst() & -SpanMap.UNIT_BYTES);
        assertThat(space.owners.known.size()).isEqualTo(1);
        blocks.forEach(space::free);
        next.forEach(space::free);
    }

    private static List<Long> allocateInThreadThatEnds(BlockSpace space, int count, long bytes)
            throws InterruptedException {
        List<Long> blocks = new ArrayList<>();
        Thread thread =
                Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, count, bytes)));
        Await.end(thread); // an executor may be closed before its thread has ended
        return blocks;
    }

    private static long spanOf(long block) {
        return block & -SpanMap.UNIT_BYTES;
    }

    @Test
    void allocate_roomInASpanOfAnEndedThread_isTakenBeforeANewSpan() throws Exception {
        BlockSpace space = space();
        space.free(space.allocate(50)); // this thread has an owner of its own already
        List<Long> blocks = allocateInThreadThatEnds(space, 10, 1000);
        long used = parts(space).chunks().statistics().usedBytes();
        List<Long> next = allocate(space, 50, 1000);
        assertThat(next).allMatch(block -> spanOf(block) == spanOf(blocks.getFirst()));
        assertThat(parts(space).chunks().statistics().usedBytes()).isEqualTo(used);
        BlockCheck.verifyAtRest(space);
        next.forEach(space::free);
        blocks.forEach(space::free); // its own now
        BlockCheck.verifyAtRest(space);
    }

    @Test
    void allocate_fullSpansOfAnEndedThread_areFoundByWhatIsFreedThere() throws Exception {
        BlockSpace space = space();
        space.free(space.allocate(50));
        List<Long> blocks = allocateInThreadThatEnds(space, 65 * 4, 1000);
        long used = parts(space).chunks().statistics().usedBytes();
        for (int round = 0; round < 20; round++) {
            for (int i = round % 7; i < blocks.size(); i += 7) {
                space.free(blocks.get(i));
                blocks.set(i, 0L);
            }
            BlockCheck.verifyAtRest(space);
            for (int i = round % 7; i < blocks.size(); i += 7) {
                blocks.set(i, space.allocate(1000));
            }
        }
        assertThat(parts(space).chunks().statistics().usedBytes()).isEqualTo(used);
        blocks.forEach(space::free);
    }

    /** Nobody sees that the span is empty then: what others freed counts as used. */
    @Test
    void trim_ownerFreedTheLastOfASpan_othersTheRest_givesItBack() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 3 * 64 + 3, 1024);
        List<Long> second = blocks.subList(64, 128);
        assertThat(second).allMatch(block -> spanOf(block) == spanOf(second.getFirst()));
        space.free(second.getFirst()); // it is available, and has a free block
        inThread(() -> second.subList(1, 30).forEach(space::free));
        long other = space.allocate(2000); // looks at what is announced
        second.subList(30, second.size()).forEach(space::free);
        BlockCheck.verifyAtRest(space);
        long used = parts(space).chunks().statistics().usedBytes();
        long _ = OtherThread.platform(() -> space.trim());
        assertThat(parts(space).chunks().statistics().usedBytes())
                .isEqualTo(used - SpanMap.UNIT_BYTES);
        space.free(other);
        blocks.subList(0, 64).forEach(space::free);
        blocks.subList(128, blocks.size()).forEach(space::free);
    }

    @Test
    void sizes_freedByAnotherThread_countsAsFree() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 200, 1000);
        inThread(() -> blocks.subList(0, 150).forEach(space::free));
        assertThat(space.sizes().stream().mapToLong(SizeTotals::usedCount).sum()).isEqualTo(50);
        blocks.subList(150, 200).forEach(space::free);
    }

    /** It was all of them: one more cannot be counted. */
    @Test
    void free_moreThanThereAreByAnotherThread_isRefused() {
        BlockSpace space = space();
        List<Long> blocks = allocate(space, 64, 1024);
        inThread(
                () -> {
                    blocks.forEach(space::free);
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> space.free(blocks.getFirst()));
                });
    }

    @Test
    void threads_manyShortOnes_leaveNothingBehind() throws Exception {
        BlockSpace space = space();
        for (int i = 0; i < 2_000; i++) {
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        List<Long> blocks = allocate(space, 20, 200);
                                        blocks.forEach(space::free);
                                    });
            Await.end(thread);
        }
        assertThat(space.owners.known.size()).isLessThanOrEqualTo(ThreadHeaps.LOOK_AT + 1);
        assertThat(parts(space).chunks().statistics().usedBytes())
                .isLessThanOrEqualTo((ThreadHeaps.LOOK_AT + 1) * SpanMap.UNIT_BYTES);
    }

    @SuppressWarnings("ThreadPriorityCheck") // lets another virtual thread run, between the two
    @Test
    void threads_virtual_shareTheSpansOfAFew() throws Exception {
        BlockSpace space = space();
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 5_000; i++) {
                all.add(
                        threads.submit(
                                () -> {
                                    long block = space.allocate(100);
                                    ADDRESS_SPACE.asSlice(block, 100).fill((byte) 1);
                                    Thread.yield();
                                    space.free(block);
                                }));
            }
        }
        for (Future<?> each : all) {
            each.get();
        }
        assertThat(space.owners.all()).hasSizeLessThanOrEqualTo(ThreadHeaps.SHARED_MAX);
    }

    /** A virtual thread that waited for it would have its turn after all others. */
    @Test
    void thread_virtual_doesNotWaitForOneThatAllocates() throws Exception {
        BlockSpace space = space();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        whenTold =
                () -> {
                    if (first.getAndSet(false)) {
                        inside.countDown();
                        Await.open(all);
                    }
                };
        Thread waiting = Thread.startVirtualThread(() -> space.free(space.allocate(100)));
        Await.open(inside);
        for (int i = 0; i < 2 * ThreadHeaps.SHARED; i++) {
            Thread other = Thread.startVirtualThread(() -> space.free(space.allocate(100)));
            assertThat(other.join(Duration.ofSeconds(100))).isTrue();
        }
        all.countDown();
        Await.end(waiting);
        assertThat(space.owners.all()).hasSizeLessThanOrEqualTo(ThreadHeaps.SHARED + 1);
    }

    @Test
    void thread_virtual_doesNotWaitForATick() throws Exception {
        BlockSpace space = space();
        Thread thread = Thread.ofVirtual().unstarted(() -> space.free(space.allocate(100)));
        ThreadHeap its = space.owners.of(thread, false);
        its.claimed = Thread.currentThread().threadId(); // as who collects does
        synchronized (its) {
            thread.start();
            assertThat(thread.join(Duration.ofSeconds(100))).isTrue();
        }
        boolean _ = space.tick();
        assertThat(its.claimed).isZero();
    }

    @Test
    void threads_whoseIdsNameOneEntry_oneShares() throws Exception {
        BlockSpace space = space();
        List<Thread> waiting = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(1);
        CountDownLatch ready = new CountDownLatch(2);
        long first = -1;
        while (waiting.size() < 2) {
            Runnable work =
                    () -> {
                        List<Long> blocks = allocate(space, 100, 50);
                        ready.countDown();
                        Await.open(all);
                        blocks.forEach(space::free);
                    };
            Thread thread = Thread.ofPlatform().unstarted(work);
            long entry = thread.threadId() % ThreadHeaps.ENTRIES;
            if (first < 0 || entry == first) {
                first = entry;
                thread.start();
                waiting.add(thread);
            }
        }
        Await.open(ready);
        assertThat(space.owners.known.size()).as("the other one shares").isEqualTo(1);
        BlockCheck.verifyAtRest(space);
        all.countDown();
        for (Thread thread : waiting) {
            Await.end(thread);
        }
    }

    /** A thread that ended leaves its entry to the next one, though another has its spans. */
    @Test
    void threads_whoseEntryWasAnEndedOnes_findTheirOwn() throws Exception {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        Thread ended = Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, 1, 50)));
        Await.end(ended);
        long entry = ended.threadId() % ThreadHeaps.ENTRIES;
        AtomicBoolean found = new AtomicBoolean();
        try (ScriptedThread heir = ScriptedThread.platform()) {
            heir.run(() -> blocks.addAll(allocate(space, 1, 50)));
            assertThat(space.owners.known.size()).as("it has taken over").isEqualTo(1);
            assertThat(heir.thread().threadId() % ThreadHeaps.ENTRIES).isNotEqualTo(entry);
            Thread next;
            do {
                next = Thread.ofPlatform().unstarted(() -> found.set(findsOwn(space, blocks)));
            } while (next.threadId() % ThreadHeaps.ENTRIES != entry);
            next.start();
            Await.end(next);
        }
        assertThat(found).as("its entry leads to what it has").isTrue();
        blocks.forEach(space::free);
    }

    private static boolean findsOwn(BlockSpace space, List<Long> blocks) {
        blocks.addAll(allocate(space, 1, 50));
        long id = Thread.currentThread().threadId();
        return space.owners.guess(id).threadId == id;
    }

    @Test
    void free_afterItsOwnerEnded_needsNoOwner() throws Exception {
        BlockSpace space = space();
        List<Long> blocks = new ArrayList<>();
        Thread owner = Thread.ofPlatform().start(() -> blocks.addAll(allocate(space, 1000, 64)));
        Await.end(owner);
        blocks.forEach(space::free);
        assertThatIllegalArgumentException().isThrownBy(() -> space.free(blocks.getFirst() + 8));
        trim(parts(space));
        assertThat(committedBytes(space)).isZero();
        assertThat(space.owners.all())
                .as("who ended with nothing is forgotten")
                .noneMatch(ThreadHeap::ended);
    }

    /** What a thread frees by itself after that a tick finds, and nobody else. */
    @Test
    void allocate_isRefused_tellsThatATickIsDue() {
        BlockSpace space = space(4 * MIB);
        List<Long> blocks = new ArrayList<>();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(
                        () -> {
                            while (true) {
                                blocks.add(space.allocate(1000));
                            }
                        });
        int ticks = 0;
        while (space.tick()) {
            assertThat(++ticks).isLessThan(5);
        }
        told.set(0);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> space.allocate(1000));
        assertThat(told).hasPositiveValue();
        blocks.forEach(space::free);
    }

    private static boolean stayInside(BlockSpace space, AtomicBoolean stays) {
        long id = Thread.currentThread().threadId();
        ThreadHeap own = space.owners.guess(id);
        boolean entered = own.enter(id);
        stays.set(true);
        while (stays.get()) {
            ScriptedThread.pause();
        }
        own.leave();
        return entered;
    }

    /** It leaves when who waits is seen to pause; on a busy machine that may be too late. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void trim_ownerHasLostItsProcessorInside_waitsForIt(boolean isInterrupted)
            throws InterruptedException {
        BlockSpace space = space();
        boolean waited = false;
        try (ScriptedThread owner = ScriptedThread.platform()) {
            for (int round = 0; !waited; round++) {
                assertThat(round).isLessThan(50);
                owner.call(() -> allocate(space, 1000, 100)).forEach(space::free);
                AtomicBoolean stays = new AtomicBoolean();
                FutureTask<Boolean> inside = owner.begin(() -> stayInside(space, stays));
                Await.until(stays::get);
                AtomicLong gaveBack = new AtomicLong();
                AtomicBoolean staysInterrupted = new AtomicBoolean();
                Thread trim =
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            if (isInterrupted) {
                                                Thread.currentThread().interrupt();
                                            }
                                            gaveBack.set(space.trim());
                                            staysInterrupted.set(Thread.interrupted());
                                        });
                Await.until(() -> trim.getState() == Thread.State.TIMED_WAITING || !trim.isAlive());
                stays.set(false);
                Await.end(trim);
                assertThat(ScriptedThread.get(inside)).isTrue();
                assertThat(staysInterrupted.get()).isEqualTo(isInterrupted);
                waited = gaveBack.get() > 0;
            }
        }
    }
}
