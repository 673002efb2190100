package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.arena.OtherThread;
import io.polder.background.Background;
import io.polder.background.BackgroundCheck;
import io.polder.background.ThreadsMade;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageCache;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** A pool that is closed while arenas are open: they keep what they have, and get no more. */
class PoolCloseTest {
    private static final int BLOCKS = 50;
    private static final long ROOT_BYTES = 4 << 20;

    /** How much an arena of each state has allocated, in blocks of equal size. */
    private enum State {
        EMPTY(0),
        FIRST_CHUNK(10),
        GROWN(3000),
        ROOTS(150_000),
        LARGE(5 << 20);

        private final long blockBytes;

        State(long blockBytes) {
            this.blockBytes = blockBytes;
        }

        int blocks() {
            return this == EMPTY ? 0 : this == LARGE ? 2 : BLOCKS;
        }
    }

    private enum Kind {
        CONFINED,
        SHARED,
        DEFERRED;

        Arena open(MemoryPool pool) {
            return switch (this) {
                case CONFINED -> pool.openConfined();
                case SHARED -> pool.openShared();
                case DEFERRED -> pool.openSharedDeferred();
            };
        }
    }

    private static MemoryPool pool() {
        return MemoryPool.builder().name("closing").decay(Duration.ofMillis(5)).build();
    }

    private static List<MemorySegment> fill(Arena arena, State state) {
        List<MemorySegment> blocks = new ArrayList<>();
        for (int i = 0; i < state.blocks(); i++) {
            MemorySegment block = arena.allocate(state.blockBytes);
            Paint.paint(front(block), i);
            blocks.add(block);
        }
        return blocks;
    }

    private static MemorySegment front(MemorySegment block) {
        return block.asSlice(0, Math.min(3000, block.byteSize()));
    }

    private static void assertIntact(List<MemorySegment> blocks) {
        for (int i = 0; i < blocks.size(); i++) {
            assertThat(Paint.isPainted(front(blocks.get(i)), i)).isTrue();
        }
    }

    private static void assertReleased(MemoryPool pool) {
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
        assertThat(pool.stats().committedBytes()).isZero();
        assertThat(pool.stats().usedBytes()).isZero();
        assertThat(pool.stats().capacityBytes()).isZero();
        assertThat(pool.stats().arenas().deferredGroups()).isZero();
    }

    /** A program that opens and closes many does not have two threads for each. */
    @Test
    void close_threadsOfThePool_endSoon() {
        MemoryPool pool = pool();
        pool.close();
        BackgroundCheck.verifyEndsSoon(pool.memory.forClosing);
        BackgroundCheck.verifyEndsSoon(pool.memory.shrinkers.background);
    }

    /** Such a call may take an hour. */
    @Test
    void close_aDowncallHoldsADeferredArena_looksSeldom() {
        MemoryPool pool = MemoryPool.builder().name("held").decay(Duration.ofDays(1)).build();
        Arena arena = pool.openSharedDeferred();
        MemorySegment ints = arena.allocate(2 * Integer.BYTES);
        AtomicLong periodNanos = new AtomicLong();
        Downcalls.sort(
                ints,
                (left, right) -> {
                    arena.close();
                    pool.close();
                    periodNanos.set(BackgroundCheck.periodNanos(pool.memory.closing));
                    return Downcalls.compareInts(left, right);
                });
        assertThat(periodNanos.get()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
        assertReleased(pool);
    }

    @ParameterizedTest
    @CsvSource({
        "CONFINED, EMPTY",
        "CONFINED, FIRST_CHUNK",
        "CONFINED, GROWN",
        "CONFINED, ROOTS",
        "CONFINED, LARGE",
        "SHARED, EMPTY",
        "SHARED, FIRST_CHUNK",
        "SHARED, GROWN",
        "SHARED, ROOTS",
        "SHARED, LARGE",
        "DEFERRED, EMPTY",
        "DEFERRED, FIRST_CHUNK",
        "DEFERRED, GROWN",
        "DEFERRED, ROOTS",
        "DEFERRED, LARGE"
    })
    void close_withAnArenaOpen_leavesItWhatItHas(Kind kind, State state) {
        MemoryPool pool = pool();
        OtherThread.platform(
                () -> {
                    Arena arena = kind.open(pool);
                    List<MemorySegment> blocks = fill(arena, state);
                    pool.close();
                    assertIntact(blocks);
                    for (long more : new long[] {4 << 20, 5 << 20}) {
                        assertThatIllegalStateException()
                                .isThrownBy(() -> arena.allocate(more))
                                .withMessage(
                                        "the pool is closed, and hands out no more memory:"
                                                + " name=closing");
                    }
                    assertIntact(blocks);
                    assertThat(arena.scope().isAlive()).isTrue();
                    arena.close();
                    return true;
                });
        assertReleased(pool);
    }

    /** What an arena has room for it still gets. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void allocate_fromAChunkOfAClosedPool_works(Kind kind) {
        MemoryPool pool = pool();
        OtherThread.platform(
                () -> {
                    Arena arena = kind.open(pool);
                    arena.allocate(10);
                    pool.close();
                    MemorySegment block = arena.allocate(100);
                    assertThat(Paint.isZero(block)).isTrue();
                    Paint.paint(block, 1);
                    arena.close();
                    return true;
                });
        assertReleased(pool);
    }

    /** Nor is its chunk made larger, though there is free memory behind it. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SHARED", "DEFERRED"}) // a slab is never made larger
    void allocate_beyondAChunkOfAClosedPool_isRefused(Kind kind) {
        MemoryPool pool = pool();
        try (Arena arena = kind.open(pool)) {
            arena.allocate(10);
            pool.close();
            assertThatIllegalStateException()
                    .isThrownBy(() -> arena.allocate(3000))
                    .withMessageContaining("the pool is closed, and hands out no more memory");
        }
        assertReleased(pool);
    }

    @Test
    void close_byAnotherThread_leavesArenasWhatTheyHave() throws Exception {
        MemoryPool pool = pool();
        CountDownLatch opened = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        FutureTask<Boolean> user =
                new FutureTask<>(
                        () -> {
                            List<Arena> arenas = new ArrayList<>();
                            List<List<MemorySegment>> blocks = new ArrayList<>();
                            for (Kind kind : Kind.values()) {
                                for (State state : State.values()) {
                                    arenas.add(kind.open(pool));
                                    blocks.add(fill(arenas.getLast(), state));
                                }
                            }
                            opened.countDown();
                            Await.open(closed);
                            blocks.forEach(PoolCloseTest::assertIntact);
                            arenas.forEach(Arena::close);
                            return true;
                        });
        Thread.ofPlatform().start(user);
        Await.open(opened);
        pool.close();
        assertThat(pool.stats().usedBytes()).isPositive();
        closed.countDown();
        assertThat(user.get()).isTrue();
        assertReleased(pool);
    }

    /** At once what was free before, and soon what others give back while one stays open. */
    @Test
    void close_withAnArenaOpen_givesBackWhatIsFreeBeside() {
        MemoryPool pool = MemoryPool.builder().decay(Duration.ofDays(1)).build();
        try (Arena kept = pool.openShared()) {
            List<MemorySegment> blocks = fill(kept, State.FIRST_CHUNK);
            try (Arena after = pool.openShared()) {
                List<MemorySegment> _ = fill(after, State.ROOTS);
                try (Arena before = pool.openShared()) {
                    List<MemorySegment> _ = fill(before, State.ROOTS);
                }
                long committed = pool.stats().committedBytes();
                pool.close();
                assertThat(pool.stats().committedBytes())
                        .isLessThan(committed - BLOCKS * State.ROOTS.blockBytes / 2);
            }
            // Where memory comes with the addresses, a root chunk has it as long as one of it is
            // used.
            Await.until("it is given back", () -> pool.stats().committedBytes() <= ROOT_BYTES);
            assertIntact(blocks);
        }
        assertReleased(pool);
    }

    @Test
    void open_closedPool_isRefused() {
        MemoryPool pool = pool();
        pool.close();
        for (Kind kind : Kind.values()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> kind.open(pool))
                    .withMessage("the pool is closed: name=closing");
        }
        assertThatIllegalStateException()
                .isThrownBy(pool::openFreeing)
                .withMessage("the pool is closed: name=closing");
    }

    @Test
    void close_twice_doesNothing() {
        MemoryPool pool = pool();
        Arena arena = pool.openShared();
        List<MemorySegment> blocks = fill(arena, State.GROWN);
        assertThat(pool.isClosed()).isFalse();
        pool.close();
        assertThat(pool.isClosed()).isTrue();
        pool.close();
        assertIntact(blocks);
        arena.close();
        pool.close();
        assertReleased(pool);
        pool.close();
        assertThat(pool.trim()).isZero();
        assertThat(pool.report()).startsWith("Pool closing\n");
        assertThat(pool.map().toString()).contains("not used yet: 0 root chunks");
    }

    @Test
    void close_unused_releasesAtOnce() {
        MemoryPool pool = pool();
        try (Arena arena = pool.openConfined();
                Arena shared = pool.openShared()) {
            fill(arena, State.GROWN);
            fill(shared, State.LARGE);
        }
        pool.close();
        assertThat(pool.stats().reservedBytes()).isZero();
    }

    /** The thread lives on, and keeps nothing of a pool from which it can take nothing. */
    @ParameterizedTest
    @EnumSource(State.class)
    void close_ofConfinedArenasAfterThePool_givesTheirSlabsBackAtOnce(State state) {
        MemoryPool pool = pool();
        List<Arena> arenas = new ArrayList<>();
        List<List<MemorySegment>> blocks = new ArrayList<>();
        for (int i = 0; i < 12; i++) { // more than have a slab
            arenas.add(pool.openConfined());
            blocks.add(fill(arenas.getLast(), i == 0 ? State.FIRST_CHUNK : state));
        }
        pool.close();
        blocks.forEach(PoolCloseTest::assertIntact);
        long held = pool.stats().usedBytes();
        arenas.getFirst().close();
        assertThat(pool.stats().usedBytes()).isLessThan(held);
        arenas.subList(1, arenas.size()).forEach(Arena::close);
        assertThat(pool.stats().usedBytes()).isZero();
        assertReleased(pool);
    }

    @Test
    void close_onVirtualThreadsAfterThePool_releasesAll() throws Exception {
        MemoryPool pool = pool();
        CountDownLatch opened = new CountDownLatch(10);
        CountDownLatch closed = new CountDownLatch(1);
        List<Thread> users = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            State state = i % 2 == 0 ? State.FIRST_CHUNK : State.GROWN;
            FutureTask<Boolean> user =
                    new FutureTask<>(
                            () -> {
                                try (Arena arena = pool.openConfined()) {
                                    List<MemorySegment> blocks = fill(arena, state);
                                    opened.countDown();
                                    Await.open(closed);
                                    assertIntact(blocks);
                                }
                                return true;
                            });
            users.add(Thread.ofVirtual().start(user));
        }
        Await.open(opened);
        pool.close();
        assertThat(pool.stats().usedBytes()).isPositive();
        closed.countDown();
        for (Thread user : users) {
            Await.end(user);
        }
        assertReleased(pool);
    }

    /** Deferred arenas that are closed with the background late: their memory is not lost. */
    @Test
    void close_withDeferredArenasPending_releasesAll() {
        MemoryPool pool = pool();
        Arena open = pool.openSharedDeferred();
        for (int i = 0; i < 100; i++) {
            Arena arena = pool.openSharedDeferred();
            fill(arena, State.GROWN);
            arena.close();
        }
        List<MemorySegment> blocks = fill(open, State.GROWN);
        pool.close();
        assertIntact(blocks);
        open.close();
        assertReleased(pool);
    }

    /** What has memory of a pool. */
    private enum Holder {
        CONFINED(Kind.CONFINED),
        SHARED(Kind.SHARED),
        DEFERRED(Kind.DEFERRED),
        FREEING(null),
        BLOCK(null),
        LARGE_BLOCK(null),
        PAGE(null),
        VIEW(null),
        HEAP(null);

        private final @Nullable Kind arena;

        Holder(@Nullable Kind arena) {
            this.arena = arena;
        }

        private static Runnable closeOf(AutoCloseable some) {
            return () -> {
                try (some) {
                    // It is closed here.
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            };
        }

        /** Takes some; returns what gives it back. */
        Runnable hold(MemoryPool pool) {
            if (arena != null) {
                Arena opened = arena.open(pool);
                opened.allocate(100_000);
                return opened::close;
            }
            BlockAllocator blocks = pool.blocks();
            switch (this) {
                case FREEING -> {
                    FreeingArena opened = pool.openFreeing();
                    opened.allocate(100_000);
                    return opened::close;
                }
                case HEAP -> {
                    RelocatingHeap heap = pool.openHeap();
                    long _ = heap.allocate(100_000);
                    return heap::close;
                }
                case PAGE, VIEW -> {
                    Page page = pool.pages().allocate(PageCache.GRANULE_BYTES);
                    Arena views = Arena.ofShared();
                    page.segment(views).fill((byte) 1);
                    AutoCloseable first = this == PAGE ? views : page;
                    AutoCloseable second = this == PAGE ? page : views;
                    closeOf(first).run();
                    return closeOf(second);
                }
                default -> {
                    long block = blocks.allocateAddress(this == BLOCK ? 100_000 : 3 << 20);
                    return () -> blocks.freeAddress(block);
                }
            }
        }
    }

    /** Nothing of a closed pool waits for the decay: not its memory, nor what Java has of it. */
    @ParameterizedTest
    @EnumSource(Holder.class)
    void close_decayOfADay_releasesAllWhenTheLastIsGone(Holder holder) {
        for (boolean before : new boolean[] {false, true}) {
            WeakReference<PoolMemory> memory = new WeakReference<>(closeWith(holder, before));
            Await.until("nobody has the pool", () -> isGone(memory));
        }
    }

    private static PoolMemory closeWith(Holder holder, boolean givesBefore) {
        MemoryPool pool = MemoryPool.builder().name("day").decay(Duration.ofDays(1)).build();
        Runnable other = holder.hold(pool);
        Runnable last = holder.hold(pool);
        other.run(); // wakes what comes a day later
        if (givesBefore) {
            last.run();
            pool.close();
        } else {
            pool.close();
            last.run();
        }
        assertReleased(pool);
        return pool.memory;
    }

    /** The last close may come where no thread can be started for what it has to do. */
    @Test
    void close_noThreadForTheLastDeferredArena_releasesAllOnceThereIsOne() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        Background closing =
                ThreadsMade.by(
                        work -> {
                            if (refuses.get()) {
                                throw new OutOfMemoryError("unable to create: a test");
                            }
                            return Thread.ofPlatform().daemon().unstarted(work);
                        },
                        PoolBackground.TELLING);
        MemoryPool settings = pool();
        settings.close();
        MemoryPool pool =
                new MemoryPool(
                        new PoolMemory(
                                settings.memory.choice,
                                settings.memory.settings,
                                PoolBackground.INSTANCE,
                                closing,
                                null));
        Arena arena = pool.openSharedDeferred();
        Paint.paint(arena.allocate(100), 1);
        pool.close();
        arena.close();
        refuses.set(false);
        assertReleased(pool);
    }

    private static boolean isGone(WeakReference<?> something) {
        System.gc();
        return something.refersTo(null);
    }

    @Test
    void close_commonPool_isRefused() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> MemoryPool.common().close())
                .withMessage("the common pool cannot be closed");
        try (Arena arena = MemoryPool.ofSharedDeferred()) {
            assertThat(Paint.isZero(arena.allocate(100))).isTrue();
        }
    }
}
