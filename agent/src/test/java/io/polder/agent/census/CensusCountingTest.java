package io.polder.agent.census;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.agent.library.Library;
import io.polder.agent.rewrite.CallSite;
import io.polder.agent.rewrite.Outcomes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Counts against a model. */
class CensusCountingTest {
    private Census census;
    private int confinedSite;
    private int sharedSite;

    @BeforeEach
    void setUp() {
        census = new Census(10);
        census.openBy(Library.jdkConfined(), Library.jdkShared());
        confinedSite = census.sites().number(new CallSite("a.B", "c", 1, true));
        sharedSite = census.sites().number(new CallSite("a.B", "s", 2, false));
        census.start();
    }

    private Arena confined() throws Throwable {
        return (Arena) census.confined().invokeExact(confinedSite);
    }

    private Arena shared() throws Throwable {
        return (Arena) census.shared().invokeExact(sharedSite);
    }

    private CensusResult result() {
        return Objects.requireNonNull(census.result());
    }

    @Test
    void counts_random_likeModel() throws Throwable {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long[] opened = new long[2];
        long[] closed = new long[2];
        long[] bytes = new long[2];
        long[] allocations = new long[2];
        long[] sizes = new long[Buckets.SIZES];
        long[] openSizes = new long[Buckets.SIZES];
        long[] openBytes = new long[2];
        for (int i = 0; i < 3000; i++) {
            int kind = random.nextInt(8) == 0 ? 1 : 0;
            Arena arena = kind == 0 ? confined() : shared();
            opened[kind]++;
            long own = 0;
            int count = random.nextInt(4);
            for (int j = 0; j < count; j++) {
                own += allocate(arena, random.nextInt(4), random.nextInt(300)).byteSize();
            }
            if (random.nextInt(10) != 0) {
                arena.close();
                closed[kind]++;
                bytes[kind] += own;
                allocations[kind] += count;
                sizes[Buckets.ofSize(own)]++;
            } else {
                openBytes[kind] += own;
                openSizes[Buckets.ofSize(own)]++;
            }
        }
        CensusResult result = result();
        List<Row> rows = List.of(result.confined(), result.shared());
        for (int kind = 0; kind < 2; kind++) {
            assertThat(closed[kind]).as("mix, seed=%d", seed).isGreaterThan(200);
            assertThat(rows.get(kind).openedCount()).as("seed=%d", seed).isEqualTo(opened[kind]);
            assertThat(rows.get(kind).closedCount()).as("seed=%d", seed).isEqualTo(closed[kind]);
            assertThat(rows.get(kind).bytes()).as("seed=%d", seed).isEqualTo(bytes[kind]);
            assertThat(rows.get(kind).openBytes()).as("seed=%d", seed).isEqualTo(openBytes[kind]);
            assertThat(openBytes[kind]).as("mix, seed=%d", seed).isPositive();
            assertThat(rows.get(kind).allocations())
                    .as("seed=%d", seed)
                    .isEqualTo(allocations[kind]);
        }
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            assertThat(result.all().size(bucket)).as("seed=%d", seed).isEqualTo(sizes[bucket]);
            assertThat(result.all().openSize(bucket))
                    .as("seed=%d", seed)
                    .isEqualTo(openSizes[bucket]);
        }
    }

    private static MemorySegment allocate(Arena arena, int way, int size) {
        return switch (way) {
            case 0 -> arena.allocate(size);
            case 1 -> arena.allocate(size, 8);
            case 2 -> arena.allocate(ValueLayout.JAVA_INT);
            default -> arena.allocate(ValueLayout.JAVA_LONG, size);
        };
    }

    @Test
    void threads_manyShort_areAllCountedAndFewAreKept() throws Throwable {
        Run run = new Run();
        int threads = 500;
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> run.row(3).opened());
            thread.start();
            thread.join();
        }
        assertThat(run.sum().row(3).openedCount()).isEqualTo(threads);
        assertThat(run.threadCount()).isLessThan(threads / 4);
    }

    @Test
    void threads_manyAtOnce_areAllCounted() throws Throwable {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Runnable work =
                    () -> {
                        for (int j = 0; j < 2000; j++) {
                            try (Arena arena = confined()) {
                                arena.allocate(10);
                            } catch (Throwable e) {
                                throw new AssertionError(e);
                            }
                        }
                    };
            threads.add(
                    i % 2 == 0 ? Thread.ofPlatform().start(work) : Thread.startVirtualThread(work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(result().confined().closedCount()).isEqualTo(16_000);
        assertThat(result().confined().bytes()).isEqualTo(160_000);
    }

    @Test
    void misuse_throwsAsTheJdk_andIsNotCounted() throws Throwable {
        Arena arena = confined();
        assertThatThrownBy(() -> arena.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
        arena.close();
        assertThatThrownBy(() -> arena.allocate(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
        Arena shared = shared();
        shared.close();
        assertThatThrownBy(shared::close).isInstanceOf(IllegalStateException.class);
        Row all = result().all();
        assertThat(all.closedCount()).isEqualTo(2);
        assertThat(all.allocations()).isZero();
    }

    @Test
    @SuppressWarnings("restricted")
    void cleanupThatThrows_arenaCountsAsClosed() throws Throwable {
        for (Arena arena : List.of(confined(), shared())) {
            arena.allocate(8)
                    .reinterpret(
                            arena,
                            _ -> {
                                throw new UnsupportedOperationException("on purpose");
                            });
            assertThatThrownBy(arena::close).hasMessage("on purpose");
        }
        assertThat(result().all().closedCount()).isEqualTo(2);
    }

    @Test
    void census_again_countsFromNothing() throws Throwable {
        Arena before = confined();
        census.stop();
        assertThat(census.result()).isNull();
        assertThat(confined()).isNotInstanceOf(CountedArena.class);
        census.start();
        before.close();
        assertThat(result().all().closedCount()).isZero();
        assertThat(result().all().openedCount()).isZero();
    }

    @Test
    void lifetimes_ofSomeMeasured_addUpToAllThatWereClosed() throws Throwable {
        for (int opened : new int[] {1, 63, 64, 65, 100, 127, 128, 129, 1000, 4000}) {
            setUp();
            for (int i = 0; i < opened; i++) {
                confined().close();
                if (i % 3 == 0) {
                    shared().close();
                }
            }
            confined(); // and one stays open
            CensusResult result = result();
            for (CensusResult.Site site : result.sites()) {
                assertThat(site.counts().lifetimes())
                        .as("opened=%d", opened)
                        .isEqualTo(site.counts().closedCount());
            }
            assertThat(result.all().lifetimes()).isEqualTo(opened + (opened + 2) / 3);
        }
    }

    @Test
    void lifetimes_longOfTheFirst_areNoLargerPartThanTheyWere() {
        Row row = new Row(false);
        for (int i = 0; i < 64 * 100; i++) {
            int weight = row.opened();
            row.closed(8, 1);
            if (weight != 0) {
                row.lived(i < 64 ? 5_000_000 : 500, weight); // of the first 64, milliseconds
            }
        }
        row.spreadLifetimes();
        assertThat(row.lifetime(Buckets.ofLifetime(5_000_000))).isEqualTo(64);
        assertThat(row.lifetime(Buckets.ofLifetime(500))).isEqualTo(64 * 99);
    }

    @Test
    void lifetimes_ofWhatIsOpen_areNotKnown() {
        Row row = new Row(false);
        for (int i = 0; i < 100; i++) {
            if (row.opened() == 0) {
                row.closed(8, 1);
            }
        }
        row.spreadLifetimes();
        assertThat(row.closedCount()).isEqualTo(36);
        assertThat(row.lifetimes()).isZero();
    }

    /** A thread may open and close arenas while its counts are read, one after the other. */
    @Test
    void closed_seenBeforeTheyWereOpened_wereOpened() {
        Rows rows = new Rows(false);
        int _ = rows.row(0).opened();
        for (int i = 0; i < 3; i++) {
            rows.row(0).closed(8, 1);
        }
        CensusResult result = CensusResult.of(rows, new SiteTable(1), 1);
        assertThat(result.confined().openedCount()).isEqualTo(3);
        assertThat(result.all().openedCount()).isEqualTo(3);
        assertThat(result.text(new Outcomes(line -> {}).summary(), Pooled.BOTH))
                .containsPattern("\nconfined +3 +3 +0 +0 +24 +3\n");
    }

    @Test
    void verdict_ofFewOrEmpty_isNotYes() {
        assertThat(Verdict.of(true, row(1, 1, 8))).isEqualTo(Verdict.ONCE);
        assertThat(Verdict.of(false, row(1, 1, 8))).isEqualTo(Verdict.ONCE);
        assertThat(Verdict.of(true, row(1, 0, 8))).isEqualTo(Verdict.OPEN);
        assertThat(Verdict.of(true, row(1, 1, 0))).isEqualTo(Verdict.EMPTY);
        assertThat(Verdict.of(true, row(100, 95, 0))).isEqualTo(Verdict.EMPTY);
        assertThat(Verdict.of(true, row(2, 2, 8))).isEqualTo(Verdict.YES);
    }

    private static Row row(int opened, int closed, long bytes) {
        Row row = new Row(false);
        for (int i = 0; i < opened; i++) {
            int _ = row.opened();
            if (i < closed) {
                row.closed(bytes, bytes == 0 ? 0 : 1);
            }
        }
        return row;
    }

    /** What nobody closes has memory all the same. */
    @Test
    void text_arenasStillOpen_saysWhatTheyHave() throws Throwable {
        for (int i = 0; i < 300; i++) {
            confined().allocate(1000);
        }
        assertThat(result().text(new Outcomes(line -> {}).summary(), Pooled.BOTH))
                .contains("\nArenas still open, by what they have\n")
                .containsPattern("\n  512-1K +300 +100\\.0\n")
                .containsPattern("\nconfined +300 +0 +300 +300,000 +0 +0\n")
                .containsPattern("\n +300 +300 +300,000 +0 confined open");
    }

    @Test
    void served_sharedAndPooled_areAllOfThem() throws Throwable {
        for (int i = 0; i < 12; i++) {
            try (Arena arena = shared()) {
                arena.allocate(100);
            }
        }
        assertThat(result().text(new Outcomes(line -> {}).summary(), new Pooled(false, true)))
                .contains("  It serves 12 of the 12 arenas that allocated")
                .contains("  0 from slabs, 0 larger ones from chunks and pages, 12 shared ones")
                .contains("  Pooled now, by pool=shared: 12\n");
        assertThat(result().text(new Outcomes(line -> {}).summary(), new Pooled(true, false)))
                .contains("  Pooled now, by pool=confined: 0\n");
    }

    @Test
    void text_withoutMemory_saysSo() throws Throwable {
        confined().close();
        assertThat(result().text(new Outcomes(line -> {}).summary(), Pooled.BOTH))
                .contains("No arena that allocated was closed.")
                .doesNotContain("- %", "0 of the 0");
    }

    @Test
    void json_namesWithMarkup_areQuoted() throws Throwable {
        int odd = census.sites().number(new CallSite("a.\"<b>\\", "m\n", 1, true));
        ((Arena) census.confined().invokeExact(odd)).close();
        String json = result().json(new Outcomes(line -> {}).summary(), Pooled.BOTH);
        var site =
                new com.fasterxml.jackson.databind.ObjectMapper()
                        .readTree(json)
                        .get("sites")
                        .get(0);
        assertThat(site.get("class").asText()).isEqualTo("a.\"<b>\\");
        assertThat(site.get("method").asText()).isEqualTo("m\n");
    }

    @Test
    void percent_neitherNothingNorAll_isNotRoundedToIt() {
        assertThat(Columns.percent(1, 1_000_000)).isEqualTo("<0.1");
        assertThat(Columns.percent(999_999, 1_000_000)).isEqualTo(">99.9");
        assertThat(Columns.percent(0, 10)).isEqualTo("0.0");
        assertThat(Columns.percent(10, 10)).isEqualTo("100.0");
        assertThat(Columns.percent(0, 0)).isEqualTo("-");
        assertThat(Columns.percent(1, 3)).isEqualTo("33.3");
        assertThat(Columns.grouped(1_234_567)).isEqualTo("1,234,567");
        assertThat(Columns.grouped(-123)).isEqualTo("-123");
        assertThat(Columns.grouped(999)).isEqualTo("999");
    }
}
