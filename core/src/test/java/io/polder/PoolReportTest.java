package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Slabs;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapFigures;
import io.polder.leak.Kind;
import io.polder.leak.LeakRecord;
import io.polder.page.space.PageFigures;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;

/** What people read: the report and the map. */
class PoolReportTest {
    private static final LeakRecord USED =
            new LeakRecord(Kind.BLOCKS, 3, 336, "filler", List.of("Cache.put"));

    private static final long ROOT = 4 << 20;

    @RegisterExtension final Slabs fixture = new Slabs();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "0|100| 0%",
                "1|1000|<1%",
                "9|1000|<1%",
                "1|100| 1%",
                "50|100|50%",
                "99|100|99%",
                "995|1000|>99%",
                "999999|1000000|>99%",
                "100|100|100%",
                "1|9223372036854775807|<1%"
            })
    void percent_ofAWhole_saysNothingThatIsNotSo(long part, long whole, String text) {
        assertThat(PoolReport.percent(part, whole)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "1023, 1023 bytes",
        "1024, 1.00 KB",
        "1536, 1.50 KB",
        "1048576, 1.00 MB",
        "1073741823, 1024.00 MB",
        "1073741824, 1.00 GB",
        "140737488355328, 131072.00 GB"
    })
    void size_always_isInTheLargestUnitThatFits(long bytes, String text) {
        assertThat(PoolReport.size(bytes)).isEqualTo(text);
    }

    @Test
    void report_ofStatistics_hasTheLayoutPeopleKnow() {
        PoolFigures stats =
                new PoolFigures(
                        "sample",
                        "linux",
                        "a test",
                        true,
                        80 * ROOT,
                        -1,
                        24 << 20,
                        8 * ROOT,
                        9 << 20,
                        3 << 20,
                        4,
                        13 << 20,
                        15 << 20,
                        new PoolFigures.Arenas(true, 16384, 8, 3, 2, 1536),
                        12,
                        List.of(
                                new PageFigures.SizeClass(ROOT, 1, 0),
                                new PageFigures.SizeClass(2 << 20, 0, 0),
                                new PageFigures.SizeClass(1024, 1024, 1 << 20)),
                        pages(),
                        new PoolFigures.Blocks(
                                false,
                                17,
                                2000,
                                65536,
                                0,
                                List.of(
                                        new PoolFigures.BlockSize(112, 15, 21, 4096),
                                        new PoolFigures.BlockSize(160, 2, 23, 57344))),
                        List.of(heap(2, -1), heap(5, 64 << 20)),
                        leaks(2048));
        List<String> shrinkers = List.of("cache, \u001b[2J");
        assertThat(new PoolReport(stats).write(6 << 20, 1, List.of(USED), true, shrinkers))
                .isEqualTo(
                        """
                        Pool sample
                        Memory          used 13312K, committed 24576K, reserved 327680K

                        Total Usage (3 threads keep slabs):
                          Chunks: 12 chunks, 5.00 MB capacity, 3.00 MB (60%) committed
                           Pages: 3 pages, 10.00 MB, 1 of them given and kept by views
                        Deferred: 2 groups, 1.50 KB of closed arenas wait for others

                        Virtual space:
                          Chunk space:     64.00 MB reserved,      4.00 MB ( 6%) committed
                           Page space:    256.00 MB reserved,     20.00 MB ( 8%) committed
                                 Both:    320.00 MB reserved,     24.00 MB ( 8%) committed

                        Chunk freelists:
                            4m: 1, capacity=4.00 MB, committed=0 bytes ( 0%)
                            2m: (none)
                            1k: 1024, capacity=1.00 MB, committed=1.00 MB (100%)
                         Total size: 5.00 MB, committed: 1.00 MB (20%)

                        Page freelists:
                            2m: 2, capacity=4.00 MB
                            4m: 1, capacity=6.00 MB
                         Total size: 10.00 MB, not zero: 2.00 MB, largest: 6.00 MB

                        Waste (unused committed space): (percentages refer to total committed \
                        size 24.00 MB):
                                        In free chunks: 1.00 MB ( 4%)
                                         In free pages: 10.00 MB (42%)

                        Blocks (their memory is counted as chunks and pages):
                               112: 15 used, 21 free, 4.00 KB committed
                               160: 2 used, 23 free, 56.00 KB committed
                         Total: 17 blocks, 1.95 KB ( 3%) of 64.00 KB, 4.00 KB in empty spans
                         Used, by where they were allocated (some of them):
                          3 blocks, 336 bytes, by thread filler among others:
                              at Cache.put

                        Heaps (their memory is counted as pages):
                             2: 1000 objects, 3.00 MB (30%) live of 10.00 MB, limit=the pool's
                                7 cycles, 1 of them out of memory, 2.00 MB copied, \
                        6.00 MB given back
                             5: 1000 objects, 3.00 MB (30%) live of 10.00 MB, limit=64.00 MB
                                7 cycles, 1 of them out of memory, 2.00 MB copied, \
                        6.00 MB given back

                        Shrinkers (asked for memory before it is refused):
                          cache, \\u001b[2J

                        Leaks (some arenas and blocks, all pages and heaps are watched):
                          3 found, 48.00 KB, 17 watched now
                          2 x confined arena, 32.00 KB, last by thread worker:
                              at Early.open
                              at Early.run
                          1 from other places

                        Internal statistics:
                          pages taken so far, up to 2m: 5, 10.00 MB
                          pages taken so far, up to 8m: 2, 12.00 MB
                          pages taken that were not at hand: 4, 2.346 ms, 1.200 ms at most
                          pages assembled on allocation: 1
                          pages assembled in the background: 13
                          memory moved for that: 48.00 MB
                          mappings that pages cost: 25 at most, of 16382
                          threads waiting for memory: 7
                          committed so far: 9.00 MB
                          uncommitted so far: 3.00 MB
                          calls refused by the system: 4

                        Settings:
                          committed limit: 32.00 MB
                          reserved limit: none
                          slab: 16.00 KB, 8 per thread
                          provider: linux (a test)
                          gives memory back by the page: yes
                          leak detection: sampled
                        """);
    }

    private static HeapStatistics heap(int number, long maxBytes) {
        return new HeapFigures(
                number, 1000, 3 << 20, 5 << 20, 8 << 20, 2 << 20, maxBytes, 7, 2 << 20, 1, 0,
                6 << 20, 100, 200, null, 0);
    }

    private static PoolFigures.Leaks leaks(int oneIn) {
        return new PoolFigures.Leaks(
                LeakDetection.SAMPLED,
                oneIn,
                17,
                3,
                48 << 10,
                List.of(
                        new PoolFigures.Leak(
                                "confined arena",
                                2,
                                32 << 10,
                                "worker",
                                List.of("Early.open", "Early.run"))));
    }

    private static PageFigures pages() {
        return new PageFigures(
                256 << 20,
                20 << 20,
                60 << 20,
                40 << 20,
                10 << 20,
                3,
                1,
                2 << 20,
                List.of(
                        new PageFigures.SizeClass(2 << 20, 2, 4 << 20),
                        new PageFigures.SizeClass(4 << 20, 1, 6 << 20)),
                7,
                List.of(
                        new PageFigures.SizeClass(2 << 20, 5, 10 << 20),
                        new PageFigures.SizeClass(8 << 20, 2, 12 << 20)),
                4,
                2_345_678,
                1_200_000,
                1,
                13,
                48 << 20,
                25,
                16382);
    }

    @Test
    void report_ofAPool_saysWhatItHolds() {
        try (MemoryPool pool = MemoryPool.builder().name("held").build();
                Arena arena = pool.openShared()) {
            assertThat(pool.report())
                    .startsWith(
                            """
                            Pool held
                            Memory          used 0K, committed 0K, reserved 0K

                            It has no memory now.

                            Settings:
                            """)
                    .doesNotContain("?%", "(none)");
            arena.allocate(1000);
            arena.allocate(5 << 20);
            assertThat(pool.report())
                    .contains("  Chunks: 1 chunk, 1.00 KB capacity, 1.00 KB (100%) committed\n")
                    .contains("   Pages: 1 page, 6.00 MB, 0 of them given and kept by views\n")
                    .contains("  pages taken so far, up to 8m: 1, 6.00 MB\n")
                    .contains("Total Usage (0 threads keep slabs):\n", "Deferred: 0 groups,")
                    .doesNotContain("?%")
                    .contains("    1k: 1, capacity=1.00 KB, committed=1.00 KB (100%)\n");
        }
    }

    @Test
    void report_ofAPoolWithAStrangeName_steersNoTerminal() {
        try (MemoryPool pool = MemoryPool.builder().name("a\u001b[31m\nPool b").build()) {
            assertThat(pool.report()).startsWith("Pool a\\u001b[31m\\u000aPool b\nMemory ");
        }
    }

    @Test
    void report_slabsOff_saysWhy() {
        String report = WatchedPool.create(fixture, 0, 4).report();
        assertThat(report.replaceFirst("test #[0-9]+", "test")) // a pool of another test lives
                .isEqualTo(
                        """
                        Pool test
                        Memory          used 0K, committed 0K, reserved 0K

                        Arenas are the JDK's: slabs are off
                        """);
    }

    @Test
    void report_slabsOff_stillSaysWhatShrinkersHold() {
        MemoryPool pool = WatchedPool.create(fixture, 0, 4);
        Runnable remove = pool.addShrinker(_ -> 0, () -> "holds nothing");
        assertThat(pool.report())
                .contains("Arenas are the JDK's: slabs are off\n\nIt has no memory now.\n\n")
                .contains("Shrinkers (asked for memory before it is refused):\n  holds nothing\n");
        remove.run();
    }

    @Test
    void report_slabsOff_stillSaysWhatPagesAndHeapsHold() {
        MemoryPool pool = WatchedPool.create(fixture, 0, 4);
        try (RelocatingHeap heap = pool.openHeap()) {
            long _ = heap.allocate(100);
            assertThat(pool.report())
                    .contains("Arenas are the JDK's: slabs are off\n")
                    .contains("   Pages: 2 pages, ")
                    .contains("Heaps (their memory is counted as pages):\n     1: 1 object, ")
                    .contains(", limit=none\n")
                    .contains("\nSettings:\n");
        }
        pool.close();
    }

    @Test
    void report_ofPoolsOfOneName_hasTheNumber() {
        try (MemoryPool one = MemoryPool.builder().name("all of them").build();
                MemoryPool two = MemoryPool.builder().name("all of them").build()) {
            assertThat(one.report()).startsWith("Pool all of them\n").doesNotContain("null");
            assertThat(two.report()).startsWith("Pool all of them #2\n").doesNotContain("null");
        }
    }

    @Test
    void map_ofAPool_hasALegendALinePerRootAndALetterPerChunk() {
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofHours(1)).build()) {
            String legend =
                    "A = 4 MiB, B = 2 MiB, ... M = 1 KiB; upper case: in use, lower case: free,"
                            + " after -: no memory\n";
            assertThat(pool.map().toString()).isEqualTo(legend + "not used yet: 0 root chunks\n");
            try (Arena small = pool.openShared();
                    Arena root = pool.openShared();
                    Arena second = pool.openShared();
                    Arena third = pool.openShared();
                    Arena large = pool.openShared()) {
                small.allocate(1000);
                root.allocate(ROOT);
                second.allocate(ROOT);
                third.allocate(ROOT);
                large.allocate(2 * ROOT);
                assertThat(pool.map().toString())
                        .startsWith(legend)
                        .containsPattern("(?m)^0x[0-9a-f]+  4K  Mml-k-j-i-h-g-f-e-d-c-b$")
                        .containsPattern("(?m)^0x[0-9a-f]+  4096K  A$")
                        .containsPattern(
                                "(?m)not used yet: 12 root chunks\n(.*\n)*0x[0-9a-f]+  .*$");
            }
            assertThat(pool.map().toString())
                    .containsPattern("(?m)^0x[0-9a-f]+  4096K  A$") // at hand for the next arena
                    .containsPattern("(?m)^0x[0-9a-f]+  4096K  a$");
            pool.trim();
            assertThat(pool.map().toString()).containsPattern("(?m)^0x[0-9a-f]+  0K  -a$");
        }
    }
}
