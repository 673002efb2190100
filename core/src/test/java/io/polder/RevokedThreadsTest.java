package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** What threads keep at hand that live on: nobody waits for them to end. */
class RevokedThreadsTest {
    @BeforeEach
    void fencesThreads() {
        Assumptions.assumeTrue(MemoryPool.common().stats().provider().equals("linux"));
    }

    private static MemoryPool.Builder builder(String name) {
        return MemoryPool.builder().name("revoked-" + name).decay(Duration.ofMillis(20));
    }

    /** Opens arenas in one another, each with a painted segment; closes them. */
    private static void nest(MemoryPool pool, int deep, SplittableRandom random) {
        try (Arena arena = pool.openConfined()) {
            MemorySegment segment = arena.allocate(1 + random.nextLong(3_000));
            assertThat(Paint.isZero(segment)).isTrue();
            int paint = 1 + random.nextInt(100);
            Paint.paint(segment, paint);
            if (deep > 1) {
                nest(pool, deep - 1, random);
            }
            assertThat(Paint.isPainted(segment, paint)).isTrue();
        }
    }

    @Test
    void close_threadsThatUsedItLiveOn_everythingIsReleased() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        try (ExecutorService workers = Crew.of(3)) {
            for (int round = 0; round < 20; round++) {
                MemoryPool pool = builder("closed").build();
                List<Future<?>> uses = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    SplittableRandom own = random.split();
                    uses.add(workers.submit(() -> nest(pool, 1 + own.nextInt(20), own)));
                }
                for (Future<?> use : uses) {
                    use.get();
                }
                pool.close();
                Await.until("released", () -> pool.stats().reservedBytes() == 0);
            }
        }
    }

    @Test
    void close_arenasOpenInOtherThreads_releasedWhenTheyAreClosed() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        try (ExecutorService workers = Crew.of(3)) {
            for (int round = 0; round < 20; round++) {
                MemoryPool pool = builder("open").build();
                CountDownLatch end = new CountDownLatch(1);
                CountDownLatch opened = new CountDownLatch(3);
                List<Future<?>> uses = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    SplittableRandom own = random.split();
                    uses.add(
                            workers.submit(
                                    () -> {
                                        try (Arena outer = pool.openConfined();
                                                Arena inner = pool.openConfined()) {
                                            outer.allocate(1 + own.nextLong(40_000));
                                            inner.allocate(1 + own.nextLong(30));
                                            opened.countDown();
                                            Await.open(end);
                                        }
                                        return null;
                                    }));
                }
                Await.open(opened);
                pool.close();
                assertThat(pool.stats().reservedBytes()).isPositive();
                end.countDown();
                for (Future<?> use : uses) {
                    use.get();
                }
                Await.until("released", () -> pool.stats().reservedBytes() == 0);
            }
        }
    }

    /** What they exchange is in slots, and belongs to nobody who ends. */
    @Test
    void slots_virtualThreadsEnded_givenBackByThemselves() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        for (int round = 0; round < 3; round++) {
            MemoryPool pool = builder("virtual").slabs(16 << (10 + random.nextInt(6)), 8).build();
            CountDownLatch end = new CountDownLatch(1);
            int count = 1 + random.nextInt(300);
            CountDownLatch opened = new CountDownLatch(count);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                threads.add(
                        Thread.startVirtualThread(
                                () -> {
                                    try (Arena arena = pool.openConfined()) {
                                        arena.allocate(100);
                                        opened.countDown();
                                        Await.open(end);
                                    }
                                }));
            }
            Await.open(opened);
            end.countDown();
            for (Thread thread : threads) {
                Await.end(thread);
            }
            Await.until("given back", () -> pool.stats().committedBytes() == 0);
            pool.close();
        }
    }

    /** Threads open and close arenas while pools are closed under them. */
    @Test
    void close_whileThreadsOpenArenas_releasedAndNobodyHurt() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        try (ExecutorService workers = Crew.of(3)) {
            for (int round = 0; round < 100; round++) {
                MemoryPool pool = builder("under").build();
                CountDownLatch began = new CountDownLatch(3);
                List<Future<?>> uses = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    SplittableRandom own = random.split();
                    uses.add(
                            workers.submit(
                                    () -> {
                                        try {
                                            nest(pool, 10, own);
                                            began.countDown();
                                            while (true) {
                                                nest(pool, 1 + own.nextInt(12), own);
                                            }
                                        } catch (IllegalStateException closed) {
                                            return;
                                        }
                                    }));
                }
                try {
                    Await.open(began);
                } finally {
                    pool.close(); // which is what ends the others
                }
                for (Future<?> use : uses) {
                    use.get();
                }
                Await.until("released", () -> pool.stats().reservedBytes() == 0);
            }
        }
    }

    /** Pages that take all of a limit have threads revoked, again and again, while these go on. */
    @Test
    void pages_ofTheWholeLimit_haveWhatIdleThreadsKeep() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        long limit = (8L << random.nextInt(4)) << 20;
        boolean addresses = random.nextBoolean();
        MemoryPool.Builder limited = builder("limited");
        try (MemoryPool pool =
                        (addresses
                                        ? limited.reservedMaxBytes(limit)
                                        : limited.committedMaxBytes(limit))
                                .build();
                ExecutorService workers = Crew.of(3)) {
            for (int round = 0; round < 200; round++) {
                for (int i = 0; i < 3; i++) {
                    SplittableRandom own = random.split();
                    workers.submit(() -> nest(pool, 1 + own.nextInt(20), own)).get();
                }
                pool.pages().allocate(limit).close();
            }
        }
    }

    /** The same while threads use arenas: those that hold nothing lose nothing that they use. */
    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void revoke_whileThreadsOpenArenas_nobodyHurt() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        long limit = 32L << 20;
        try (MemoryPool pool = builder("busy").committedMaxBytes(limit).build();
                ExecutorService workers = Crew.of(3)) {
            CountDownLatch ended = new CountDownLatch(1);
            List<Future<?>> uses = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                SplittableRandom own = random.split();
                uses.add(
                        workers.submit(
                                () -> {
                                    while (ended.getCount() > 0) {
                                        try {
                                            nest(pool, 1 + own.nextInt(20), own);
                                        } catch (OutOfMemoryError allIsOnePage) {
                                            Thread.onSpinWait();
                                        }
                                    }
                                }));
            }
            int refused = 0;
            try {
                for (int round = 0; round < 2_000 || refused == 0; round++) { // the timeout ends it
                    try {
                        pool.pages().allocate(limit).close();
                    } catch (OutOfMemoryError inUse) {
                        refused++; // and has revoked what threads keep
                    }
                }
            } finally {
                ended.countDown();
            }
            for (Future<?> use : uses) {
                use.get();
            }
            pool.pages().allocate(limit).close();
        }
    }

    @Test
    void threads_thatEnded_whatTheyKeptGoesBackByItself() throws Exception {
        SplittableRandom random = new SplittableRandom(Seed.get());
        try (MemoryPool pool = builder("ended").build()) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                SplittableRandom own = random.split();
                threads.add(Thread.ofPlatform().start(() -> nest(pool, 8, own)));
            }
            for (Thread thread : threads) {
                Await.end(thread);
            }
            Await.until(
                    "given back",
                    () -> pool.stats().usedBytes() == 0 && pool.stats().committedBytes() == 0);
        }
    }
}
