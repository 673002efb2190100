package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import jdk.jfr.consumer.RecordedEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What Flight Recorder learns of a pool. */
@EnabledOnOs(OS.LINUX)
class PoolEventsTest {
    private static final long MIB = 1 << 20;

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).decay(Duration.ofHours(1)).build();
    }

    private static long sum(List<RecordedEvent> events, String part) {
        return events.stream()
                .filter(event -> event.getString("part").equals(part))
                .mapToLong(event -> event.getLong("bytes"))
                .sum();
    }

    @Test
    void commit_ofChunksAndPages_addUpToWhatIsCommitted() {
        try (Recorded recorded = new Recorded("Commit");
                MemoryPool pool = pool("commits");
                Arena confined = pool.openConfined();
                Arena shared = pool.openShared()) {
            confined.allocate(100);
            confined.allocate(100_000);
            shared.allocate(1000);
            shared.allocate(200_000);
            Page page = pool.pages().allocate(6 * MIB);
            PoolStatistics stats = pool.stats();
            List<RecordedEvent> events = recorded.ofPool("commits");
            assertThat(sum(events, "pages")).isEqualTo(6 * MIB);
            assertThat(sum(events, "chunks")).isEqualTo(stats.committedBytes() - 6 * MIB);
            assertThat(events)
                    .allSatisfy(
                            event -> {
                                assertThat(event.getThread().getJavaThreadId())
                                        .isEqualTo(Thread.currentThread().threadId());
                                assertThat(event.getStackTrace()).isNotNull();
                                assertThat(event.getDuration()).isPositive();
                            });
            page.close();
        }
    }

    @Test
    void uncommit_byTrim_addsUpToWhatWasGivenBack() {
        try (MemoryPool pool = pool("uncommits");
                Recorded recorded = new Recorded("Uncommit")) {
            try (Arena arena = pool.openConfined()) {
                arena.allocate(100_000);
            }
            pool.pages().allocate(4 * MIB).close();
            long given = pool.trim();
            List<RecordedEvent> events = recorded.ofPool("uncommits");
            assertThat(sum(events, "pages")).isEqualTo(4 * MIB);
            assertThat(sum(events, "chunks")).isEqualTo(given - 4 * MIB).isPositive();
        }
    }

    @Test
    void pageAllocation_always_saysSizeAndWhetherItWasAssembled() {
        try (MemoryPool pool =
                        MemoryPool.builder()
                                .name("pages")
                                .committedMaxBytes(16 * MIB)
                                .decay(Duration.ofHours(1))
                                .build();
                Recorded recorded = new Recorded("PageAllocation")) {
            Page[] small = new Page[8];
            for (int i = 0; i < small.length; i++) {
                small[i] = pool.pages().allocate(2 * MIB);
            }
            for (int i = 0; i < small.length; i += 2) {
                small[i].close();
            }
            long before = pool.stats().pages().assembledOnAllocation();
            Page large = pool.pages().allocate(8 * MIB);
            long assembled = pool.stats().pages().assembledOnAllocation() - before;
            List<RecordedEvent> events = recorded.ofPool("pages");
            assertThat(events).hasSize(9);
            assertThat(events.subList(0, 8))
                    .allSatisfy(
                            event -> {
                                assertThat(event.getLong("bytes")).isEqualTo(2 * MIB);
                                assertThat(event.getBoolean("assembled")).isFalse();
                                assertThat(event.getBoolean("waited")).isFalse();
                            });
            RecordedEvent last = events.getLast();
            assertThat(last.getLong("bytes")).isEqualTo(8 * MIB);
            assertThat(last.getBoolean("assembled")).isEqualTo(assembled == 1);
            large.close();
            for (int i = 1; i < small.length; i += 2) {
                small[i].close();
            }
        }
    }

    @Test
    void heap_growingUnderItsLocks_recordsItsPages() {
        try (Recorded recorded = new Recorded("PageAllocation", "EvacuationCycle");
                MemoryPool pool = pool("heap pages");
                RelocatingHeap heap = pool.openHeap()) {
            long[] handles = new long[100_000];
            for (int i = 0; i < handles.length; i++) {
                handles[i] = heap.allocate(100);
            }
            for (int i = 0; i < handles.length; i++) {
                if (i % 16 != 0) {
                    heap.free(handles[i]);
                }
            }
            heap.compact();
            Map<String, List<RecordedEvent>> events =
                    recorded.ofPool("heap pages").stream()
                            .collect(Collectors.groupingBy(Recorded::name));
            assertThat(events.get("PageAllocation"))
                    .hasSizeGreaterThanOrEqualTo(4)
                    .allSatisfy(event -> assertThat(event.getLong("bytes")).isPositive());
            List<RecordedEvent> cycles = events.getOrDefault("EvacuationCycle", List.of());
            assertThat(cycles)
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(event.getInt("heap")).isEqualTo(1));
            assertThat(cycles.stream().mapToLong(event -> event.getLong("copiedBytes")).sum())
                    .isPositive();
            assertThat(cycles.stream().mapToLong(event -> event.getLong("givenBackBytes")).sum())
                    .isPositive();
        }
    }

    @Test
    void statistics_ofPoolsAndHeaps_comePeriodically() {
        try (MemoryPool pool = pool("periodic");
                Arena arena = pool.openShared();
                RelocatingHeap heap = pool.openHeap()) {
            arena.allocate(5 * MIB);
            long _ = heap.allocate(1000);
            checkPeriodicEvents(pool, heap);
        }
    }

    private static void checkPeriodicEvents(MemoryPool pool, RelocatingHeap heap) {
        try (Recorded recorded = new Recorded("PoolStatistics", "HeapStatistics")) {
            Await.until(
                    "both were recorded",
                    () ->
                            recorded.ofPool("periodic").stream()
                                            .map(event -> event.getEventType().getName())
                                            .distinct()
                                            .count()
                                    == 2);
            RecordedEvent ofPool = last(recorded, "io.polder.PoolStatistics");
            assertThat(ofPool.getLong("committedBytes")).isEqualTo(pool.stats().committedBytes());
            assertThat(ofPool.getLong("usedBytes")).isEqualTo(pool.stats().usedBytes());
            RecordedEvent ofHeap = last(recorded, "io.polder.HeapStatistics");
            assertThat(ofHeap.getInt("heap")).isEqualTo(1);
            assertThat(ofHeap.getEventType().getField("heap").getDescription())
                    .isEqualTo("The first heap that the pool opened is 1");
            assertThat(ofHeap.getLong("maxBytes")).isEqualTo(-1);
            assertThat(ofHeap.getLong("liveObjects")).isEqualTo(1);
            assertThat(ofHeap.getLong("regionBytes")).isEqualTo(heap.stats().regionBytes());
        }
    }

    /** All events call a pool alike, and statistics tell pools of one name apart. */
    @Test
    void pool_ofANameThatAnotherHas_isCalledWithItsNumberInStatistics() {
        String[] statistics = {"PoolStatistics", "BlockStatistics", "HeapStatistics"};
        try (Recorded recorded = new Recorded(statistics);
                Recorded others = new Recorded("Commit", "ArenaLeak")) {
            try (MemoryPool first = watched("same\n");
                    MemoryPool second = watched("same\n");
                    RelocatingHeap ofFirst = first.openHeap();
                    RelocatingHeap ofSecond = second.openHeap()) {
                for (RelocatingHeap heap : List.of(ofFirst, ofSecond)) {
                    long _ = heap.allocate(1000);
                }
                for (MemoryPool pool : List.of(first, second)) {
                    long _ = pool.blocks().allocateAddress(100);
                }
                for (String label : List.of("same\\u000a", "same\\u000a #2")) {
                    Await.until(
                            "all were recorded of " + label,
                            () -> eventsOf(recorded, label).containsAll(List.of(statistics)));
                }
            }
            Await.until(
                    "leaks were recorded",
                    () -> eventsOf(others, "same\\u000a").contains("ArenaLeak"));
            assertThat(eventsOf(others, "same\\u000a")).contains("Commit");
            assertThat(others.ofPool("same\n")).isEmpty();
            assertThat(recorded.ofPool("same\n")).isEmpty();
        }
    }

    private static MemoryPool watched(String name) {
        return MemoryPool.builder().name(name).leaks(LeakDetection.ALL).build();
    }

    private static Set<String> eventsOf(Recorded recorded, String pool) {
        return recorded.ofPool(pool).stream().map(Recorded::name).collect(Collectors.toSet());
    }

    @Test
    void statistics_ofBlocks_comePeriodicallyForEachSize() {
        try (MemoryPool pool = pool("periodic")) {
            long small = pool.blocks().allocateAddress(100);
            long other = pool.blocks().allocateAddress(100);
            pool.blocks().freeAddress(other);
            long large = pool.blocks().allocateAddress(3 * MIB);
            try (Recorded recorded = new Recorded("BlockStatistics")) {
                Await.until(
                        "each size was recorded",
                        () ->
                                recorded.ofPool("periodic").stream()
                                                .map(event -> event.getLong("blockBytes"))
                                                .distinct()
                                                .count()
                                        == 2);
                RecordedEvent first = recorded.ofPool("periodic").getFirst();
                PoolStatistics.BlockSize size = pool.stats().blocks().sizes().getFirst();
                assertThat(first.getLong("blockBytes")).isEqualTo(112).isEqualTo(size.blockBytes());
                assertThat(first.getLong("usedCount")).isEqualTo(1);
                assertThat(first.getLong("freeCount")).isEqualTo(size.freeCount()).isPositive();
                assertThat(first.getLong("committedBytes")).isEqualTo(size.committedBytes());
            }
            pool.blocks().freeAddress(small);
            pool.blocks().freeAddress(large);
        }
    }

    private static RecordedEvent last(Recorded recorded, String type) {
        return recorded.ofPool("periodic").stream()
                .filter(event -> event.getEventType().getName().equals(type))
                .reduce((_, later) -> later)
                .orElseThrow();
    }
}
