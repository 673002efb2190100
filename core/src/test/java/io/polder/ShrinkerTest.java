package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.OtherThread;
import io.polder.background.ThreadsMade;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.leak.Collected;
import io.polder.page.Page;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;

/** Who holds memory that he could free is asked before a limit refuses. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
class ShrinkerTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 16 * MIB;

    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("shrinking")
                    .committedMaxBytes(LIMIT)
                    .decay(Duration.ofDays(1))
                    .build();
    private final Deque<Page> cached = new ArrayDeque<>();
    private final List<Long> wanted = new ArrayList<>();

    private void fill() {
        for (int i = 0; i < LIMIT / (2 * MIB); i++) {
            cached.add(pool.pages().allocate(2 * MIB));
        }
    }

    private synchronized long shrink(long bytes) {
        wanted.add(bytes);
        if (cached.isEmpty()) {
            return 0;
        }
        cached.poll().close();
        return 2 * MIB;
    }

    private void end() {
        cached.forEach(Page::close);
        pool.close();
        assertThat(pool.stats().reservedBytes()).isZero();
    }

    /** Has the pool keep a block at hand that was freed; returns how much is used, or kept. */
    private long keep() {
        pool.blocks().freeAddress(pool.blocks().allocateAddress(2 * MIB));
        return pool.stats().usedBytes();
    }

    private Runnable addShrinker(LongUnaryOperator frees) {
        return pool.addShrinker(frees, () -> "one of a test");
    }

    @Test
    void poolThatNobodyHas_isCollectedWithItsShrinkers() {
        WeakReference<MemoryPool> forgotten = forgotten();
        Await.until(
                "the pool is collected",
                () -> {
                    System.gc();
                    return forgotten.refersTo(null);
                });
    }

    private static WeakReference<MemoryPool> forgotten() {
        MemoryPool pool = MemoryPool.builder().name("forgotten").build();
        Runnable _ = pool.addShrinker(_ -> 0, () -> "has nothing");
        return new WeakReference<>(pool);
    }

    /** Where Polder is refused memory, and then the JDK, which arenas go on with. */
    @ParameterizedTest
    @ValueSource(strings = {"confined", "shared"})
    void arena_ofAPoolWithoutLimits_theJdkIsRefusedMemory_asksThem(String kind) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(
                                "-Dpolder.provider=plain",
                                "-XX:+UnlockDiagnosticVMOptions",
                                "-XX:NativeMemoryTracking=summary",
                                "-XX:MallocLimit=other:100m:oom",
                                "-Xlog:disable",
                                ChildJvm.NATIVE_ACCESS),
                        ShrinkerProbe.class,
                        kind);
        assertThat(result.out()).isEqualTo("kept: 0\nUnable to allocate 67108864 bytes\n");
        end();
    }

    /** Whether the system is short one thread looks for all pools: none has one for that. */
    @Test
    void addShrinker_nobodyIsAsked_startsNoThreadForThePool() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Runnable remove = addShrinker(this::shrink);
        Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
        started.removeAll(before);
        assertThat(started).extracting(Thread::getName).doesNotContain("polder-asking");
        remove.run();
        end();
    }

    @Test
    void addShrinker_allAreRemoved_nobodyLooksAnyMore() {
        Runnable remove = addShrinker(this::shrink);
        Runnable removeAnother = addShrinker(this::shrink);
        remove.run();
        assertThat(Shrinkers.Looking.INSTANCE.task.isAsleep()).isFalse();
        removeAnother.run();
        Collected.until("nobody looks", Shrinkers.Looking.INSTANCE.task::isAsleep);
        end();
    }

    @Test
    void allocate_overTheLimit_asksForWhatIsWanted() {
        Runnable remove = addShrinker(this::shrink);
        fill();
        assertThat(wanted).isEmpty();
        Page page = pool.pages().allocate(4 * MIB);
        assertThat(wanted).startsWith(4 * MIB).hasSizeLessThanOrEqualTo(2);
        try (Arena arena = pool.openShared()) {
            arena.allocate(MIB);
        }
        MemorySegment block = pool.blocks().allocate(3 * MIB, 16);
        pool.blocks().free(block);
        assertThat(cached).hasSizeLessThan(6);
        page.close();
        remove.run();
        end();
    }

    /** Room that is made for what can never be had is lost for those who had it. */
    @Test
    void allocate_moreThanTheLimitAtAll_asksNobody() throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Runnable remove = addShrinker(this::shrink);
        fill();
        cached.remove().close(); // in its place: what is kept at hand
        try (RelocatingHeap heap = pool.openHeap();
                Arena confined = pool.openConfined();
                Arena shared = pool.openShared();
                Arena deferred = pool.openSharedDeferred();
                FreeingArena freeing = pool.openFreeing()) {
            for (int i = 0; i < 20; i++) {
                long bytes = LIMIT + 1 + random.nextLong(8 * LIMIT);
                long kept = keep();
                for (ThrowingCallable request :
                        List.<ThrowingCallable>of(
                                () -> pool.pages().allocate(bytes),
                                () -> pool.pages().allocate(bytes, Duration.ofMinutes(1)),
                                () -> confined.allocate(bytes),
                                () -> shared.allocate(bytes),
                                () -> deferred.allocate(bytes),
                                () -> freeing.allocate(bytes),
                                () -> pool.blocks().allocate(bytes),
                                () -> pool.blocks().allocateAddress(bytes),
                                () -> heap.allocate(bytes))) {
                    assertThatExceptionOfType(OutOfMemoryError.class)
                            .as("seed=%d, bytes=%d", seed, bytes)
                            .isThrownBy(request)
                            .withMessageContaining("committedMaxBytes=" + LIMIT);
                    assertThat(pool.stats().usedBytes()).as("seed=%d", seed).isEqualTo(kept);
                }
                assertThat(heap.tryAllocate(bytes)).isZero();
            }
        }
        assertThat(wanted).as("seed=%d", seed).isEmpty();
        assertThat(cached).hasSize((int) (LIMIT / (2 * MIB)) - 1);
        remove.run();
        end();
    }

    @Test
    void report_saysWhatShrinkersSayOfThemselves() {
        Runnable remove = pool.addShrinker(this::shrink, () -> "holds " + cached.size());
        Runnable removeOther =
                pool.addShrinker(
                        this::shrink,
                        () -> {
                            throw new IllegalStateException("gone");
                        });
        fill();
        assertThat(pool.report())
                .contains("Shrinkers (asked")
                .contains("  holds " + cached.size() + "\n")
                .contains("  does not say what it holds: java.lang.IllegalStateException: gone\n");
        remove.run();
        removeOther.run();
        assertThat(pool.report()).doesNotContain("Shrinkers");
        end();
    }

    @Test
    void allocate_shrinkerWasRemoved_isRefused() {
        Runnable remove = addShrinker(this::shrink);
        Runnable removeTwin = addShrinker(this::shrink);
        fill();
        remove.run();
        pool.pages().allocate(2 * MIB).close();
        removeTwin.run();
        removeTwin.run();
        cached.add(pool.pages().allocate(2 * MIB));
        int asked = wanted.size();
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> pool.pages().allocate(2 * MIB));
        assertThat(wanted).hasSize(asked);
        end();
    }

    @Test
    void allocate_byTheShrinkerItself_isRefusedAndAsksNobody() {
        List<Throwable> refused = new ArrayList<>();
        Runnable remove =
                addShrinker(
                        bytes -> {
                            try {
                                pool.pages().allocate(2 * MIB).close();
                            } catch (OutOfMemoryError full) {
                                refused.add(full);
                            }
                            return shrink(bytes);
                        });
        fill();
        cached.add(pool.pages().allocate(2 * MIB));
        assertThat(refused).hasSize(1);
        assertThat(wanted).hasSize(1);
        remove.run();
        end();
    }

    @Test
    void allocate_shrinkerThrows_isThrownAndHarmsNothing() {
        Runnable remove =
                addShrinker(
                        _ -> {
                            throw new IllegalStateException("not now");
                        });
        fill();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> pool.pages().allocate(2 * MIB))
                .withMessage("not now");
        remove.run();
        end();
    }

    /** Wherever in asking the stack ends, the thread may ask again. */
    @Test
    void ask_stackEnds_asksWhenThereIsStackAgain() {
        Shrinkers shrinkers = pool.memory.shrinkers;
        Runnable remove = shrinkers.add(bytes -> bytes, () -> "one of a test");
        boolean _ =
                OtherThread.platform(
                        () -> {
                            for (int deep = 0; deep < 300; deep++) {
                                try {
                                    long _ = askDeep(shrinkers, deep, 0, 0, 0);
                                } catch (StackOverflowError end) {
                                    assertThat(shrinkers.ask(1)).as("deep=%d", deep).isEqualTo(1);
                                }
                            }
                            return true;
                        });
        remove.run();
        end();
    }

    /** So many frames larger than those that follow; so the stack ends elsewhere each time. */
    private static long askDeep(Shrinkers shrinkers, int more, long one, long two, long three) {
        return more == 0
                ? askDeeper(shrinkers)
                : one + two + three + askDeep(shrinkers, more - 1, one + 1, two + 1, three + 1);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static long askDeeper(Shrinkers shrinkers) {
        return shrinkers.ask(1) + askDeeper(shrinkers);
    }

    /** Again only if the system is short still: not at once, and not for as long as they throw. */
    @Test
    void haveAsked_shrinkerThrows_asksOnce() {
        List<Long> asked = new CopyOnWriteArrayList<>();
        Runnable remove =
                addShrinker(
                        bytes -> {
                            asked.add(bytes);
                            throw new IllegalStateException("not now");
                        });
        Shrinkers shrinkers = pool.memory.shrinkers;
        PoolExhaustion exhaustion = pool.memory.exhaustion;
        shrinkers.haveAsked(exhaustion::shrinkForTheSystem);
        Await.until(() -> !asked.isEmpty());
        shrinkers.haveAsked(() -> exhaustion.shrink(1, 1));
        Await.until(() -> asked.contains(1L));
        int before = asked.size();
        shrinkers.haveAsked(() -> exhaustion.shrink(2, 2)); // comes behind all that waits
        Await.until(() -> asked.contains(2L));
        assertThat(before).isEqualTo(2);
        assertThat(asked).hasSize(3);
        remove.run();
        end();
    }

    /** Where no thread can be started now, one is tried again whenever they are to be asked. */
    @Test
    void haveAsked_noThreadCanBeStarted_asksWhenOneCan() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        Shrinkers shrinkers =
                new Shrinkers(
                        ThreadsMade.by(
                                work -> {
                                    if (refuses.get()) {
                                        throw new OutOfMemoryError("unable to create: a test");
                                    }
                                    return Thread.ofPlatform().daemon().unstarted(work);
                                }));
        Runnable remove = shrinkers.add(_ -> 0, () -> "one of a test");
        AtomicInteger asked = new AtomicInteger();
        shrinkers.haveAsked(asked::incrementAndGet);
        assertThat(asked).hasValue(0);
        refuses.set(false);
        Await.until(
                "they are asked",
                () -> {
                    shrinkers.haveAsked(asked::incrementAndGet);
                    return asked.get() > 0;
                });
        remove.run();
        pool.close();
    }

    @Test
    void allocate_waitingInTheQueue_hasThemAskedElsewhere() throws InterruptedException {
        Runnable remove = addShrinker(this::shrink);
        fill();
        Page page = pool.pages().allocate(2 * MIB, Duration.ofSeconds(30));
        remove.run();
        page.close();
        end();
    }

    /** What was freed for a page may not go to who can do without, a cache for instance. */
    @Test
    void tryAllocate_whileRoomIsMadeForOthers_getsNone() {
        var heap = pool.openHeap();
        List<Long> handles = new ArrayList<>();
        Runnable remove =
                addShrinker(
                        bytes -> {
                            long freed = 0;
                            for (int i = 0; i < 6; i++) {
                                freed += shrink(bytes); // more than the heap needs
                            }
                            Thread other =
                                    Thread.ofPlatform()
                                            .start(() -> handles.add(heap.tryAllocate(100)));
                            Await.end(other);
                            return freed;
                        });
        fill();
        Page page = pool.pages().allocate(2 * MIB);
        assertThat(handles).isNotEmpty().containsOnly(0L);
        page.close();
        remove.run();
        assertThat(heap.tryAllocate(100)).isNotZero();
        heap.close();
        end();
    }

    /** So "until it returns 0" may never come; a limit of its own is the way out. */
    @Test
    void tryAllocate_overThePoolsLimit_asks_overItsOwn_doesNot() {
        Runnable remove = addShrinker(this::shrink);
        var small = pool.openHeap(HeapOptions.DEFAULT.withMaxBytes(LIMIT / 2));
        while (small.tryAllocate(64 << 10) != 0) {}
        assertThat(wanted).isEmpty();
        small.close();
        pool.trim();
        fill();
        var heap = pool.openHeap();
        assertThat(heap.tryAllocate(64 << 10)).isNotZero();
        assertThat(wanted).isNotEmpty();
        heap.close();
        remove.run();
        end();
    }

    /** What programs free in heaps and blocks is room only once it was compacted and given back. */
    @Test
    void allocate_shrinkerFreesObjects_findsTheirRoom() {
        var heap = pool.openHeap();
        Deque<Long> objects = new ArrayDeque<>();
        for (long one = heap.tryAllocate(64 << 10); one != 0; one = heap.tryAllocate(64 << 10)) {
            objects.add(one);
        }
        Runnable remove =
                addShrinker(
                        bytes -> {
                            long freed = 0;
                            while (freed < bytes && !objects.isEmpty()) {
                                heap.free(objects.poll());
                                freed += 64 << 10;
                            }
                            return freed;
                        });
        Page page = pool.pages().allocate(4 * MIB);
        page.close();
        remove.run();
        heap.close();
        end();
    }

    /** Whom others have asked at that moment has nothing left to free, but they get it for all. */
    @Test
    void allocateInHeap_whileOthersHaveRoomMade_isTriedAgain() {
        AtomicInteger asked = new AtomicInteger();
        Runnable remove =
                addShrinker(
                        bytes -> {
                            if (asked.incrementAndGet() == 1) {
                                Await.end(Thread.ofPlatform().start(pool.memory.exhaustion::asks));
                                return 0;
                            }
                            return shrink(bytes) + shrink(bytes) + shrink(bytes);
                        });
        RelocatingHeap heap = pool.openHeap();
        fill();
        long handle = 0;
        for (int i = 0; handle == 0; i++) {
            try {
                asked.set(0);
                handle = heap.allocate(64 << 10);
            } catch (OutOfMemoryError tooLate) {
                assertThat(i).as("a busy machine").isLessThan(20);
            }
        }
        heap.free(handle);
        heap.close();
        remove.run();
        end();
    }
}
