package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.block.LostBlock;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A pool is closed while threads are in the middle of whatever it can do. What they have stays
 * theirs, they get no more, and when all of it is given back the pool has nothing.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomCloseTest {
    private static final int ROUNDS = 25;
    private static final int USERS = 4;
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 48 * MIB;

    /** As many things a user has at most. */
    private static final int HELD_MAX = 12;

    /** Something of the pool that a user has. */
    private interface Held {
        /** Gives it back, if it is as it was left. */
        void giveBack();
    }

    /** A thread that uses a pool until it is told that it is closed. */
    private static final class User implements Runnable {
        private final MemoryPool pool;
        private final SplittableRandom random;
        private final CyclicBarrier start;
        private final List<Held> held = new ArrayList<>();
        private int paint;
        private int heldAtClose;

        User(MemoryPool pool, SplittableRandom random, CyclicBarrier start) {
            this.pool = pool;
            this.random = random;
            this.start = start;
        }

        @Override
        public void run() {
            Await.all(start);
            int refusedInARow = 0;
            while (refusedInARow < 3) {
                try {
                    if (held.size() < HELD_MAX && random.nextInt(5) < 3) {
                        take();
                    } else {
                        other();
                    }
                    refusedInARow = 0;
                } catch (IllegalStateException closed) {
                    if (!String.valueOf(closed.getMessage()).contains("closed")) {
                        throw closed;
                    }
                    refusedInARow++;
                } catch (OutOfMemoryError full) {
                    giveBackOne();
                } catch (InterruptedException mine) {
                    refusedInARow = 0;
                }
            }
            heldAtClose = held.size();
            while (!held.isEmpty()) {
                giveBackOne();
            }
        }

        private void giveBackOne() {
            if (!held.isEmpty()) {
                held.remove(random.nextInt(held.size())).giveBack();
            }
        }

        private void other() {
            switch (random.nextInt(11)) {
                case 0 -> pool.trim();
                case 1 -> assertThat(pool.report()).startsWith("Pool ");
                case 2 -> assertThat(pool.map().toString()).isNotEmpty();
                case 3 -> assertThat(pool.stats().committedBytes()).isNotNegative();
                case 4 -> pool.pages().prefetch((1 + random.nextInt(8)) * MIB, random.nextInt(4));
                default -> giveBackOne();
            }
        }

        private void take() throws InterruptedException {
            switch (random.nextInt(9)) {
                case 0 -> arena(pool.openConfined());
                case 1 -> arena(pool.openShared());
                case 2 -> arena(pool.openSharedDeferred());
                case 3 -> freeing(pool.openFreeing());
                case 4 -> page(pool.pages().allocate(size()));
                case 5 -> page(awaitPage());
                case 6 -> page(pool.pages().allocate(2 * MIB, (2 * MIB) << random.nextInt(3)));
                case 7 -> heap(pool.openHeap());
                default -> block();
            }
        }

        private Page awaitPage() throws InterruptedException {
            if (random.nextInt(8) == 0) {
                Thread.currentThread().interrupt();
            }
            try {
                return pool.pages().allocate(size(), Duration.ofMillis(random.nextInt(9)));
            } finally {
                boolean _ = Thread.interrupted(); // if it had not to wait
            }
        }

        private long size() {
            return 1 + random.nextLong(random.nextBoolean() ? 2000 : 5 * MIB);
        }

        /** Paints the ends of some memory; what is returned fails if they are not as they were. */
        private Runnable painted(MemorySegment memory) {
            int its = ++paint;
            long bytes = memory.byteSize();
            MemorySegment front = memory.asSlice(0, Math.min(200, bytes));
            MemorySegment end = memory.asSlice(Math.max(front.byteSize(), bytes - 200));
            Paint.paint(front, its);
            Paint.paint(end, its);
            return () -> {
                assertThat(Paint.isPainted(front, its)).isTrue();
                assertThat(Paint.isPainted(end, its)).isTrue();
            };
        }

        private void arena(Arena arena) {
            List<Runnable> checks = new ArrayList<>();
            held.add(
                    () -> {
                        checks.forEach(Runnable::run);
                        arena.close();
                    });
            for (int i = random.nextInt(4); i >= 0; i--) {
                checks.add(painted(arena.allocate(size())));
            }
        }

        private void freeing(FreeingArena arena) {
            List<Runnable> checks = new ArrayList<>();
            held.add(
                    () -> {
                        checks.forEach(Runnable::run);
                        arena.close();
                    });
            for (int i = random.nextInt(4); i >= 0; i--) {
                MemorySegment segment = arena.allocate(size());
                if (random.nextBoolean()) {
                    arena.free(segment);
                } else {
                    checks.add(painted(segment));
                }
            }
        }

        private void page(Page page) {
            Arena views = random.nextBoolean() ? Arena.ofConfined() : Arena.ofShared();
            Runnable check = painted(page.segment(views));
            boolean first = random.nextBoolean();
            held.add(
                    () -> {
                        if (first) {
                            page.close();
                        }
                        check.run();
                        views.close();
                        if (!first) {
                            page.close();
                        }
                    });
        }

        private void heap(RelocatingHeap heap) {
            held.add(heap::close);
            for (int i = random.nextInt(200); i >= 0; i--) {
                long handle = heap.allocate(1 + random.nextInt(3000));
                if (random.nextBoolean()) {
                    heap.free(handle);
                }
            }
            if (random.nextBoolean()) {
                long _ = heap.compact();
            }
        }

        private void block() {
            BlockAllocator blocks = pool.blocks();
            MemorySegment block = blocks.allocate(size(), 16);
            AtomicReference<MemorySegment> now = new AtomicReference<>(block);
            AtomicReference<Runnable> check = new AtomicReference<>(painted(block));
            held.add(
                    () -> {
                        check.get().run();
                        if (random.nextBoolean()) {
                            blocks.free(now.get());
                        } else { // by another thread
                            MemorySegment freed = now.get();
                            FutureTask<?> free = new FutureTask<>(() -> blocks.free(freed), null);
                            Await.end(Thread.ofPlatform().start(free));
                            if (free.state() == Future.State.FAILED) {
                                throw new AssertionError("not freed", free.exceptionNow());
                            }
                        }
                    });
            if (random.nextBoolean()) {
                check.get().run();
                now.set(blocks.reallocate(now.get(), size()));
                check.set(painted(now.get()));
            }
        }
    }

    @Test
    void close_whileThreadsAreInside_leavesThemWhatTheyHave_andReleasesAllAfterwards() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    int heldAtClose = 0;
                    for (int round = 0; round < ROUNDS; round++) {
                        heldAtClose += closeBesideUsers(random);
                    }
                    assertThat(heldAtClose).isGreaterThan(ROUNDS);
                });
    }

    /** Returns how much users had when they were told that the pool is closed. */
    private static int closeBesideUsers(SplittableRandom random) {
        MemoryPool.Builder builder =
                MemoryPool.builder()
                        .name("closed-beside")
                        .logExhaustion(false)
                        .checkBlocks(random.nextBoolean())
                        .clearAtClose(random.nextInt(4) == 0)
                        .decay(Duration.ofMillis(1 + random.nextInt(20)));
        MemoryPool pool =
                (random.nextInt(3) == 0 ? builder : builder.committedMaxBytes(LIMIT)).build();
        boolean loses = random.nextBoolean();
        if (loses) {
            BlockAllocator blocks = pool.blocks();
            LostBlock.in(blocks.space, 1 + random.nextInt(1000));
            LostBlock.in(blocks.space, 3 * MIB);
        }
        CyclicBarrier start = new CyclicBarrier(USERS + 1);
        List<Thread> threads = new ArrayList<>();
        List<User> users = new ArrayList<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        for (int i = 0; i < USERS; i++) {
            User user = new User(pool, random.split(), start);
            users.add(user);
            Runnable guarded =
                    () -> {
                        try {
                            user.run();
                        } catch (Throwable thrown) {
                            failure.compareAndSet(null, thrown);
                        }
                    };
            threads.add(
                    random.nextInt(4) == 0
                            ? Thread.ofVirtual().start(guarded)
                            : Thread.ofPlatform().start(guarded));
        }
        Await.all(start);
        long end = System.nanoTime() + random.nextLong(60_000_000);
        Await.until(() -> System.nanoTime() - end > 0);
        pool.close();
        threads.forEach(Await::end);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError("a thread failed beside the close", thrown);
        }
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
        assertThat(pool.stats().committedBytes()).isZero();
        return users.stream().mapToInt(each -> each.heldAtClose).sum();
    }
}
