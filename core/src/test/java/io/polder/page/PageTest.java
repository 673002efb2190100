package io.polder.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.Crew;
import io.polder.background.Background;
import io.polder.background.ThreadsMade;
import io.polder.leak.LeakDetector;
import io.polder.memory.Exhaustion;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageFigures;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** Pages as users have them: views, their arenas, misuse. */
class PageTest {
    private static final long MIB = 1 << 20;

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final List<MemoryExhaustedException> told = new ArrayList<>();
    private final Exhaustion exhaustion =
            new Exhaustion() {
                @Override
                public boolean makeRoom() {
                    asked++;
                    return rooms.isEmpty() ? pretends : rooms.removeFirst().getAsBoolean();
                }

                @Override
                public void exhausted(MemoryExhaustedException exhausted) {
                    told.add(exhausted);
                }

                @Override
                public void memoryFreed() {
                    freed++;
                }
            };

    /** What makes room, in this order; then nothing does. */
    private final Deque<BooleanSupplier> rooms = new ArrayDeque<>();

    /** Whether that says that it does. */
    private boolean pretends;

    private int asked;

    /** How often a closed space has said that memory came back. */
    private int freed;

    private final PageSpace space = space(null);
    private final PageCache cache = space;

    private PageSpace space(@Nullable LeakDetector leaks) {
        return new PageSpace(
                provider,
                new MemoryBudget(new MemoryLimits(16 * MIB, MemoryLimits.ADDRESS_SPACE_BYTES), ""),
                new Background("test-page"),
                new PageSettings(TimeUnit.DAYS.toNanos(1), true, false),
                exhaustion,
                leaks);
    }

    @AfterEach
    void nothingIsLeft() {
        PageCheck.verify(space);
        space.close();
        assertThat(provider.reservedBytes()).isZero();
    }

    @Test
    void segment_readsAsZero_andHasTheSizeOfThePage() {
        Page page = cache.allocate(3 * MIB);
        assertThat(page.bytes()).isEqualTo(4 * MIB);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment view = page.segment(arena);
            assertThat(view.byteSize()).isEqualTo(4 * MIB);
            assertThat(view.address() % PageCache.GRANULE_BYTES).isZero();
            assertThat(view.mismatch(arena.allocate(4 * MIB))).isEqualTo(-1);
            view.fill((byte) 9);
        }
        page.close();
        Page again = cache.allocate(16 * MIB);
        try (Arena arena = Arena.ofConfined()) {
            assertThat(again.segment(arena).mismatch(arena.allocate(16 * MIB))).isEqualTo(-1);
        }
        again.close();
    }

    @Test
    void stats_mix_countsWhatWasTakenSoFarBySize() {
        for (long bytes : new long[] {2 * MIB, 1, 5 * MIB, 8 * MIB}) {
            cache.allocate(bytes).close();
        }
        assertThat(space.statistics().mix())
                .containsExactly(
                        new PageFigures.SizeClass(2 * MIB, 2, 4 * MIB),
                        new PageFigures.SizeClass(8 * MIB, 2, 14 * MIB));
    }

    @Test
    void stats_mix_hasNoPageThatIsWaitedFor() throws Exception {
        Page all = cache.allocate(16 * MIB);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Page> waiting =
                    threads.submit(() -> cache.allocate(2 * MIB, Duration.ofDays(1)));
            try {
                Await.until(() -> space.statistics().waiting() != 0);
                assertThat(space.statistics().mix())
                        .containsExactly(new PageFigures.SizeClass(16 * MIB, 1, 16 * MIB));
            } finally {
                all.close();
            }
            waiting.get().close();
        }
        assertThat(space.statistics().mix())
                .containsExactly(
                        new PageFigures.SizeClass(2 * MIB, 1, 2 * MIB),
                        new PageFigures.SizeClass(16 * MIB, 1, 16 * MIB));
    }

    @Test
    void close_whileAViewIsAlive_waitsForIt() {
        Page page = cache.allocate(4 * MIB);
        Arena first = Arena.ofConfined();
        Arena second = Arena.ofShared();
        MemorySegment view = page.segment(first);
        MemorySegment other = page.segment(second);
        page.close();

        view.set(ValueLayout.JAVA_INT, 0, 42);
        assertThat(other.get(ValueLayout.JAVA_INT, 0)).isEqualTo(42);
        assertThat(space.statistics().keptByViews()).isEqualTo(1);
        assertThat(space.statistics().takenPages()).isEqualTo(1);
        first.close();
        assertThat(space.statistics().takenPages()).isEqualTo(1);
        second.close();

        assertThat(space.statistics().keptByViews()).isZero();
        assertThat(space.statistics().takenPages()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> view.get(ValueLayout.JAVA_INT, 0));
    }

    @Test
    void segment_ofAGivenPage_isRefused() {
        Page page = cache.allocate(1);
        page.close();
        try (Arena arena = Arena.ofConfined()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> page.segment(arena))
                    .withMessageContaining("closed");
        }
        assertThat(space.statistics().takenPages()).isZero();
    }

    @Test
    void segment_inAClosedOrForeignArena_isTheJdksError_andCountsNothing() throws Exception {
        Page page = cache.allocate(1);
        Arena closed = Arena.ofConfined();
        closed.close();
        assertThatIllegalStateException().isThrownBy(() -> page.segment(closed));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (Arena mine = Arena.ofConfined()) {
            Thread other =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            page.segment(mine);
                                        } catch (Throwable e) {
                                            thrown.set(e);
                                        }
                                    });
            Await.end(other);
        }
        assertThat(thrown.get()).isInstanceOf(WrongThreadException.class);
        page.close();
        assertThat(space.statistics().takenPages()).isZero();
        assertThat(space.statistics().keptByViews()).isZero();
    }

    /** Or else a program that goes on after the exception fills its heap. */
    @Test
    void segment_inAClosedArena_leavesNothingOnTheHeap() throws ReflectiveOperationException {
        try (Page page = cache.allocate(1)) {
            Arena closed = Arena.ofConfined();
            closed.close();
            assertThatIllegalStateException().isThrownBy(() -> page.segment(closed));
            var views = page.getClass().getDeclaredField("views");
            views.setAccessible(true);
            var first = views.getType().getDeclaredField("next");
            first.setAccessible(true);
            assertThat(first.get(views.get(page))).isNull();
        }
    }

    /** Nobody can use it any more, and nobody can close its arena. */
    @Test
    void segment_inAConfinedArenaOfAThreadThatEnded_keepsThePageNoLonger() throws Exception {
        Page page = cache.allocate(4 * MIB);
        Thread other = Thread.ofPlatform().start(() -> page.segment(Arena.ofConfined()));
        Await.end(other);
        page.close();
        assertThat(space.statistics().keptByViews()).isZero();
        assertThat(space.statistics().takenPages()).isZero();
    }

    @Test
    void close_twice_isRefused_withAndWithoutViews() {
        Page plain = cache.allocate(1);
        plain.close();
        assertThatIllegalStateException()
                .isThrownBy(plain::close)
                .withMessageContaining("closed once");
        Page viewed = cache.allocate(1);
        try (Arena arena = Arena.ofConfined()) {
            viewed.segment(arena);
            viewed.close();
            assertThatIllegalStateException().isThrownBy(viewed::close);
            assertThat(space.statistics().keptByViews()).isEqualTo(1);
        }
        assertThat(space.statistics().keptByViews()).isZero();
    }

    @Test
    void allocate_overTheLimit_saysSo_andTellsThePool() {
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> cache.allocate(17 * MIB))
                .withMessageContaining("committedMaxBytes=" + 16 * MIB);
        assertThat(told).hasSize(1);
    }

    @Test
    void allocate_range_isSatisfiedWithLess() {
        Page most = cache.allocate(8 * MIB);
        Page less = cache.allocate(2 * MIB, 16 * MIB);
        assertThat(less.bytes()).isEqualTo(8 * MIB);
        most.close();
        less.close();
    }

    @Test
    void allocate_withTimeout_waitsUntilAPageIsGiven() throws Exception {
        Page all = cache.allocate(16 * MIB);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Page> waiting =
                    threads.submit(() -> cache.allocate(MIB, Duration.ofDays(9999999)));
            try {
                Await.until(() -> space.statistics().waiting() != 0);
            } finally {
                all.close();
            }
            waiting.get().close();
        }
    }

    @Test
    void allocate_timeIsOver_namesTheLimit() {
        Page all = cache.allocate(16 * MIB);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> cache.allocate(MIB, Duration.ofMillis(5)))
                .withMessageContaining("timeoutMillis=5")
                .withMessageContaining("committedMaxBytes=" + 16 * MIB);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cache.allocate(MIB, Duration.ofNanos(-1)))
                .withMessageContaining("timeout");
        all.close();
    }

    @Test
    @Timeout(300)
    void allocate_withTimeout_makesRoomBeforeItWaits() throws Exception {
        Page all = cache.allocate(16 * MIB);
        rooms.add(() -> giveBack(all));
        cache.allocate(MIB, Duration.ofDays(1)).close();
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void allocate_timeIsOver_makesRoomOnceMore() throws Exception {
        Page all = cache.allocate(16 * MIB);
        rooms.add(() -> false);
        rooms.add(() -> giveBack(all));
        cache.allocate(MIB, Duration.ofMillis(5)).close();
        assertThat(told).isEmpty();
    }

    private boolean giveBack(Page page) {
        page.close();
        return true;
    }

    @Test
    void allocate_roomIsMadeAndOthersHaveIt_endsAndSaysWhy() {
        Page all = cache.allocate(16 * MIB);
        pretends = true;
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> cache.allocate(MIB))
                .withMessageStartingWith("committed memory must stay within its limit")
                .withMessageContaining("committedBytes=" + 16 * MIB)
                .withMessageContaining("exceededByBytes=" + 2 * MIB);
        assertThat(asked).isPositive();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> cache.allocate(MIB, Duration.ofMillis(5)))
                .withMessageStartingWith("memory must come free within the timeout")
                .withMessageContaining("timeoutMillis=5")
                .withMessageContaining("exceededByBytes=" + 2 * MIB);
        assertThat(told).hasSize(2);
        all.close();
    }

    /** It may be the last that a pool waits for which was closed meanwhile. */
    @Test
    void allocate_errorAfterThePageWasTaken_tellsAClosedPool() {
        List<Runnable> meanwhile = new ArrayList<>();
        LeakDetector leaks =
                new LeakDetector(
                        "test",
                        ThreadsMade.timedBy(
                                () -> {
                                    meanwhile.forEach(Runnable::run);
                                    throw new OutOfMemoryError("a test");
                                }));
        leaks.set(true, true);
        PageSpace tracked = space(leaks);
        meanwhile.add(tracked::shut);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> tracked.allocate(1))
                .withMessage("a test");
        assertThat(freed).isPositive();
        tracked.close();
    }

    @Test
    void allocate_interrupted_leavesTheLine() throws Exception {
        Page all = cache.allocate(16 * MIB);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        cache.allocate(MIB, Duration.ofDays(1));
                                    } catch (Throwable e) {
                                        thrown.set(e);
                                    } finally {
                                        ended.countDown();
                                    }
                                });
        Await.until(() -> space.statistics().waiting() != 0);
        waiter.interrupt();
        Await.open(ended);
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(space.statistics().waiting()).isZero();
        all.close();
    }

    @Test
    void segment_andClose_fromManyThreads_giveBackExactlyOnce() throws Exception {
        int rounds = 300;
        try (ExecutorService threads = Crew.of(4)) {
            for (int round = 0; round < rounds; round++) {
                Page page = cache.allocate(1);
                CountDownLatch start = new CountDownLatch(1);
                List<Future<?>> users = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    users.add(
                            threads.submit(
                                    () -> {
                                        Await.open(start);
                                        try (Arena arena = Arena.ofConfined()) {
                                            page.segment(arena).set(ValueLayout.JAVA_INT, 0, 1);
                                        } catch (IllegalStateException closed) {
                                            assertThat(closed).hasMessageContaining("closed");
                                        }
                                        return null;
                                    }));
                }
                users.add(
                        threads.submit(
                                () -> {
                                    Await.open(start);
                                    page.close();
                                    return null;
                                }));
                start.countDown();
                for (Future<?> user : users) {
                    user.get();
                }
                assertThat(space.statistics().takenPages()).isZero();
                assertThat(space.statistics().keptByViews()).isZero();
            }
        }
    }

    /** An arena that knows of a view which could not be made: its end counts for nothing. */
    @Test
    void segment_errorAfterTheArenaKnows_endsTheViewOnce() {
        Page page = cache.allocate(4 * MIB);
        Arena arena = Arena.ofConfined();
        MemorySegment whole = page.segment(arena);
        // Knows of the end of the view, and throws when it is asked for more.
        Arena failing =
                new Arena() {
                    private int asked;

                    @Override
                    public MemorySegment allocate(long byteSize, long byteAlignment) {
                        throw new AssertionError("nobody allocates");
                    }

                    @Override
                    public MemorySegment.Scope scope() {
                        asked++;
                        throw new StackOverflowError("injected, asked=" + asked);
                    }

                    @Override
                    public void close() {
                        throw new AssertionError("nobody closes");
                    }
                };
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(StackOverflowError.class)
                    .isThrownBy(() -> page.segment(failing));
        }
        page.close();
        assertThat(space.statistics().keptByViews()).isEqualTo(1);
        assertThat(space.statistics().takenPages()).isEqualTo(1);
        whole.fill((byte) 1);
        arena.close();
        assertThat(space.statistics().takenPages()).isZero();
        assertThat(space.statistics().keptByViews()).isZero();
    }

    /** The JDK runs no further action after an error of one: the view's end is found out. */
    @Test
    @SuppressWarnings("restricted")
    void close_arenasCloseCutOffBeforeTheViewIsTold_comesBack() {
        Page page = cache.allocate(4 * MIB);
        Arena arena = Arena.ofConfined();
        page.segment(arena);
        MemorySegment unused =
                MemorySegment.ofAddress(1)
                        .reinterpret(
                                1,
                                arena,
                                _ -> {
                                    throw new StackOverflowError("injected");
                                });
        assertThat(unused.byteSize()).isEqualTo(1);
        page.close();
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(arena::close);
        space.trim();
        assertThat(space.statistics().takenPages()).isZero();
        assertThat(space.statistics().keptByViews()).isZero();
    }

    /** So many that it takes forever if the end of each looks at all others. */
    @Test
    @Timeout(300)
    void close_arenasOfManyViews_looksAtEachOnce() {
        Page page = cache.allocate(2 * MIB);
        Arena last = Arena.ofShared();
        Deque<Arena> arenas = new ArrayDeque<>();
        for (int i = 0; i < 100_000; i++) {
            arenas.add(Arena.ofConfined());
            page.segment(arenas.getLast());
            page.segment(last);
        }
        page.close();
        arenas.forEach(Arena::close);
        assertThat(space.statistics().keptByViews()).isEqualTo(1);
        last.close();
        assertThat(space.statistics().keptByViews()).isZero();
    }
}
