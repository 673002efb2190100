package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.TestScale;
import io.polder.heap.RelocatingHeap;
import io.polder.leak.Collected;
import io.polder.page.Page;

import jdk.jfr.consumer.RecordedEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What nobody closed is found, and nothing else. */
@EnabledOnOs(OS.LINUX)
class LeakTest {
    private static final long MIB = 1 << 20;

    /** What can be forgotten, what it is called, and what it has. */
    enum Forgotten {
        SLAB("confined arena", 16 << 10) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Arena arena = pool.openConfined();
                arena.allocate(100);
                return arena;
            }
        },
        GROWN("confined arena", (16 << 10) + (6 << 20)) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Arena arena = pool.openConfined();
                arena.allocate(100);
                arena.allocate(5 * MIB);
                return arena;
            }
        },
        SHARED("shared arena", 1024) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Arena arena = pool.openShared();
                arena.allocate(1000);
                return arena;
            }
        },
        DEFERRED("deferred arena", 1000 + 16) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Arena arena = pool.openSharedDeferred();
                arena.allocate(1000);
                return arena;
            }
        },
        DEFERRED_LARGE("deferred arena", 4 << 20) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Arena arena = pool.openSharedDeferred();
                arena.allocate(3 * MIB);
                return arena;
            }
        },
        FREEING("freeing arena", 100) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                FreeingArena arena = pool.openFreeing();
                arena.allocate(100);
                return arena;
            }
        },
        FREEING_SCOPE("freeing arena", 0) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                FreeingArena arena = pool.openFreeing();
                MemorySegment.Scope _ = arena.scope(); // a mapped file may hang on it
                return arena;
            }
        },
        PAGE("page", 4 << 20) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                Page page = pool.pages().allocate(3 * MIB);
                return page;
            }
        },
        HEAP("heap", 4 << 20) {
            @Override
            AutoCloseable open(MemoryPool pool) {
                RelocatingHeap heap = pool.openHeap();
                long _ = heap.allocate(100);
                return heap;
            }
        };

        private final String kind;
        private final long bytes;

        Forgotten(String kind, long bytes) {
            this.kind = kind;
            this.bytes = bytes;
        }

        /** Opens it, and returns what closes it. */
        abstract AutoCloseable open(MemoryPool pool);
    }

    private static MemoryPool pool(LeakDetection leaks) {
        return MemoryPool.builder().name("leaking").leaks(leaks).build();
    }

    private static void awaitLeaks(MemoryPool pool, int count) {
        Collected.until(count + " leaks were found", () -> pool.stats().leaks().leaked() >= count);
        assertThat(pool.stats().leaks().leaked()).isEqualTo(count);
    }

    @ParameterizedTest
    @EnumSource
    void forgotten_watched_isFoundWithItsStackBytesAndThread(Forgotten what) {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            forget(what, pool);
            awaitLeaks(pool, 1);
            PoolStatistics.Leaks leaks = pool.stats().leaks();
            assertThat(leaks.arenasOneIn()).isEqualTo(1);
            assertThat(leaks.leakedBytes()).isEqualTo(what.bytes);
            PoolStatistics.Leak leak = leaks.sites().getFirst();
            assertThat(leak.kind()).isEqualTo(what.kind);
            assertThat(leak.bytes()).isEqualTo(what.bytes);
            assertThat(leak.thread()).isEqualTo(Thread.currentThread().getName());
            assertThat(leak.openedAt().getFirst()).contains("LeakTest$Forgotten$").contains("open");
            assertThat(leak.openedAt()).anyMatch(frame -> frame.contains("forgotten_watched"));
            assertThat(pool.report())
                    .contains("\n  1 found, ")
                    .contains(leak.openedAt().getFirst());
        }
    }

    /** The events are recorded after the leaks were counted, all at once. */
    @Test
    void forgotten_eachKind_isAnEventWithItsStackBytesAndThread() {
        String name = "all leaking"; // leaks of other tests are told meanwhile
        Forgotten[] all = Forgotten.values();
        try (Recorded recorded = new Recorded("ArenaLeak");
                MemoryPool pool =
                        MemoryPool.builder().name(name).leaks(LeakDetection.ALL).build()) {
            forgetAll(pool);
            awaitLeaks(pool, all.length);
            Await.until("the leaks are told", () -> recorded.ofPool(name).size() == all.length);
            List<RecordedEvent> events = recorded.ofPool(name);
            assertThat(events)
                    .extracting(event -> event.getString("kind") + ": " + event.getLong("bytes"))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.of(all).map(each -> each.kind + ": " + each.bytes).toList());
            for (PoolStatistics.Leak leak : pool.stats().leaks().sites()) {
                String openedAt = String.join("\n", leak.openedAt());
                assertThat(events)
                        .anyMatch(
                                event ->
                                        event.getString("openedAt").equals(openedAt)
                                                && event.getString("thread").equals(leak.thread())
                                                && event.getString("kind").equals(leak.kind()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void closed_watched_isNoLeak(Forgotten what) throws Exception {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            try (AutoCloseable _ = what.open(pool)) {
                assertThat(pool.stats().leaks().watched()).isEqualTo(1);
            }
            assertThat(pool.stats().leaks().watched()).isZero();
        }
    }

    @Test
    void forgotten_byAVirtualThreadWithoutAName_isSaidToBeOne() throws Exception {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            Thread thread = Thread.startVirtualThread(() -> forget(Forgotten.SHARED, pool));
            Await.end(thread);
            awaitLeaks(pool, 1);
            assertThat(pool.stats().leaks().sites().getFirst().thread())
                    .isEqualTo("virtual thread #" + thread.threadId());
        }
    }

    /** In a frame of its own, which is gone when the collector comes. */
    private static void forget(Forgotten what, MemoryPool pool) {
        AutoCloseable _ = what.open(pool);
    }

    /** A segment has the arena's memory, and of a shared arena, what frees that. */
    @Test
    void segmentKept_arenaForgotten_isALeakUnlessItIsShared() {
        List<MemorySegment> kept = new ArrayList<>();
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            keepSegment(pool::openShared, kept);
            keepSegment(pool::openConfined, kept);
            awaitLeaks(pool, 1);
            assertThat(pool.stats().leaks().sites().getFirst().kind()).isEqualTo("confined arena");
            assertThat(pool.stats().leaks().watched()).isEqualTo(1);
            kept.clear();
            awaitLeaks(pool, 2);
        }
    }

    private static void keepSegment(Supplier<Arena> open, List<MemorySegment> kept) {
        kept.add(open.get().allocate(100));
    }

    /** What {@code leaks --gc} asks for once the collection is over: nobody has enqueued it yet. */
    @Test
    void stats_collectedAndNotEnqueued_countIt() {
        try (MemoryPool pool = pool(LeakDetection.ALL);
                Arena arena = pool.openShared()) {
            arena.allocate(1000);
            Collected.clear(pool.memory.leaks);
            assertThat(pool.stats().leaks().leaked()).isEqualTo(1);
            assertThat(pool.stats().leaks().watched()).isZero();
        }
    }

    /** Native code may have the address of what nobody in Java can reach. */
    @Test
    void forgotten_found_keepsItsMemory() {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            forget(Forgotten.SHARED, pool);
            awaitLeaks(pool, 1);
            pool.trim();
            assertThat(pool.stats().usedBytes()).isEqualTo(1024);
        }
    }

    @Test
    void forgotten_gotItsSlabAfterAnAttemptThatFailed_isFound() {
        try (MemoryPool pool =
                MemoryPool.builder().leaks(LeakDetection.ALL).committedMaxBytes(4 * MIB).build()) {
            forgetAfterAFailure(pool);
            awaitLeaks(pool, 1);
            assertThat(pool.stats().leaks().sites().getFirst().bytes()).isEqualTo(16 << 10);
        }
    }

    private static void forgetAfterAFailure(MemoryPool pool) {
        Arena leaked = pool.openConfined();
        Arena other = pool.openConfined();
        other.allocate(8);
        try (Arena filler = pool.openShared()) {
            for (long bytes = MIB; bytes >= 8; bytes /= 2) {
                fill(filler, bytes);
            }
            assertThat(tryAllocate(leaked, 8)).isFalse();
            other.close(); // its slab is at hand now
        }
        assertThat(tryAllocate(leaked, 8)).isTrue();
    }

    private static void fill(Arena arena, long bytes) {
        while (tryAllocate(arena, bytes)) {
            // more
        }
    }

    private static boolean tryAllocate(Arena arena, long bytes) {
        try {
            return arena.allocate(bytes).byteSize() == bytes;
        } catch (OutOfMemoryError exhausted) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingAllocated_forgotten_isNoLeak(boolean shared) {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            openAndForget(pool, shared);
            Collected.until("it is no longer watched", () -> pool.stats().leaks().watched() == 0);
            assertThat(pool.stats().leaks().leaked()).isZero();
        }
    }

    /** In a frame of its own, which is gone when the collector comes. */
    private static void openAndForget(MemoryPool pool, boolean shared) {
        Arena arena = shared ? pool.openShared() : pool.openConfined();
        assertThat(arena).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"SAMPLED", "ALL"})
    void closed_byManyThreads_isNeverFound(LeakDetection detection) throws Exception {
        try (MemoryPool pool = pool(detection)) {
            try (ExecutorService threads = Crew.of(4)) {
                List<Future<?>> users = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    users.add(threads.submit(() -> use(pool)));
                }
                for (Future<?> user : users) {
                    user.get();
                }
            }
            assertThat(pool.stats().leaks().watched()).isZero();
            assertThat(pool.stats().leaks().leaked()).isZero();
        }
    }

    private static void use(MemoryPool pool) {
        int count = TestScale.of(1000, 5000);
        for (int i = 0; i < count; i++) {
            try (Arena outer = pool.openConfined();
                    Arena inner = pool.openConfined();
                    Arena deferred = pool.openSharedDeferred()) {
                outer.allocate(100);
                inner.allocate(20_000);
                deferred.allocate(50);
            }
            if (i % (count / 5) == 0) {
                System.gc();
            }
        }
    }

    @Test
    void sampled_manyArenas_watchesSomeOfThem() {
        int opened = 100_000;
        List<Arena> arenas = new ArrayList<>();
        try (MemoryPool pool = pool(LeakDetection.SAMPLED)) {
            for (int i = 0; i < opened; i++) {
                arenas.add(pool.openConfined());
            }
            PoolStatistics.Leaks leaks = pool.stats().leaks();
            assertThat(leaks.watched()).isBetween(40, opened - 1);
            arenas.forEach(Arena::close);
            assertThat(pool.stats().leaks().watched()).isZero();
        }
    }

    /** It used to be one of 6000 that was found. */
    @Test
    void sampled_aPlaceThatLeaksOften_isFoundOften() {
        try (MemoryPool pool = pool(LeakDetection.SAMPLED)) {
            for (int i = 0; i < 6000; i++) {
                forget(Forgotten.SLAB, pool);
            }
            Collected.until("many leaks are found", () -> pool.stats().leaks().leaked() >= 20);
            PoolStatistics.Leak site = pool.stats().leaks().sites().getFirst();
            assertThat(site.openedAt()).anyMatch(frame -> frame.contains("sampled_aPlaceThat"));
        }
    }

    /** Where something new begins, more is looked at again. */
    @Test
    void sampled_aNewPlace_isLookedAtClosely() {
        try (MemoryPool pool = pool(LeakDetection.SAMPLED)) {
            int opened = 0;
            while (pool.stats().leaks().arenasOneIn() <= 40) {
                openHere(pool, 10_000);
                opened += 10_000;
                assertThat(opened).isLessThan(100_000_000);
            }
            opened = 0;
            while (pool.stats().leaks().arenasOneIn() > 20) {
                openThere(pool, 1);
                opened++;
                assertThat(opened).isLessThan(10_000_000);
            }
        }
    }

    private static void openHere(MemoryPool pool, int count) {
        for (int i = 0; i < count; i++) {
            pool.openConfined().close();
        }
    }

    private static void openThere(MemoryPool pool, int count) {
        for (int i = 0; i < count; i++) {
            pool.openConfined().close();
        }
    }

    /** What hangs on an arena is lost with it, and be it none of our memory. */
    @ParameterizedTest
    @ValueSource(strings = {"confined", "shared", "deferred"})
    void mapsAFile_forgotten_isALeak(String kind, @TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("mapped"), new byte[4096]);
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            mapAndForget(pool, kind, file);
            awaitLeaks(pool, 1);
            PoolStatistics.Leak leak = pool.stats().leaks().sites().getFirst();
            assertThat(leak.bytes()).isZero();
            assertThat(leak.openedAt().getFirst()).contains("LeakTest.open(");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"confined", "shared", "deferred"})
    void hasACleanupAction_forgotten_isALeak(String kind) {
        try (MemoryPool pool = pool(LeakDetection.ALL)) {
            addActionAndForget(pool, kind);
            awaitLeaks(pool, 1);
            PoolStatistics.Leak leak = pool.stats().leaks().sites().getFirst();
            assertThat(leak.kind()).isEqualTo(kind + " arena");
            assertThat(leak.bytes()).isZero();
        }
    }

    @SuppressWarnings("restricted") // the only way to register an action
    private static void addActionAndForget(MemoryPool pool, String kind) {
        MemorySegment _ = MemorySegment.NULL.reinterpret(8, open(pool, kind), _ -> {});
    }

    private static void mapAndForget(MemoryPool pool, String kind, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            MemorySegment _ = channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096, open(pool, kind));
        }
    }

    private static Arena open(MemoryPool pool, String kind) {
        return switch (kind) {
            case "confined" -> pool.openConfined();
            case "shared" -> pool.openShared();
            default -> pool.openSharedDeferred();
        };
    }

    /** A program that runs can be looked into, without having been started for that. */
    @Test
    void watch_laterOn_findsWhatIsOpenedFromThenOn() throws Exception {
        String name = "looked into later"; // so that no other test has one of this name
        try (MemoryPool pool = MemoryPool.builder().name(name).leaks(LeakDetection.OFF).build()) {
            forgetAll(pool);
            PoolMemory memory =
                    OpenPools.INSTANCE.reachable().stream()
                            .filter(each -> each.name().equals(name))
                            .findFirst()
                            .orElseThrow();
            PoolBean bean = new PoolBean(memory);
            assertThat(bean.getLeakDetection()).isEqualTo(LeakDetection.OFF);
            bean.setLeakDetection(LeakDetection.ALL);
            assertThat(bean.getLeakDetection()).isEqualTo(LeakDetection.ALL);
            forgetAll(pool);
            awaitLeaks(pool, Forgotten.values().length);
            bean.setLeakDetection(LeakDetection.OFF);
            forgetAll(pool);
            assertThat(pool.stats().leaks().watched()).isZero();
            assertThat(pool.stats().leaks().detection()).isEqualTo(LeakDetection.OFF);
            assertThat(pool.report()).contains("Leaks (off by now, nothing more is watched):");
        }
    }

    private static void forgetAll(MemoryPool pool) {
        for (Forgotten each : Forgotten.values()) {
            forget(each, pool);
        }
    }

    @Test
    void off_always_watchesNothing() {
        try (MemoryPool pool = pool(LeakDetection.OFF);
                Arena _ = pool.openConfined()) {
            assertThat(pool.stats().leaks())
                    .isEqualTo(new PoolFigures.Leaks(LeakDetection.OFF, 0, 0, 0, 0, List.of()));
            assertThat(pool.report()).contains("  leak detection: off\n").doesNotContain("Leaks");
        }
    }
}
