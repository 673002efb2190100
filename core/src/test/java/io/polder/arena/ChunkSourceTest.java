package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkStatistics;
import io.polder.chunk.FreeMemory;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;
import io.polder.page.space.Extent;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Slabs and chunks from a space, and what happens when it has none. */
class ChunkSourceTest {
    private static final int ENOMEM = 12;
    private static final int EPERM = 1;
    private static final long SLAB = SlabSettings.BYTES_MAX;
    private static final long ROOT = ChunkLevel.ROOT_BYTES;

    /** A space that is refused 64 MiB asks for half as much, and so on down to a root chunk. */
    private static final int SIZES_TRIED = 5;

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final RecordingListener told = new RecordingListener();
    private final ChunkSource source = source(MemoryLimits.NONE);

    private ChunkSource source(MemoryLimits limits) {
        return Slabs.source(provider, limits, SLAB, told);
    }

    @AfterEach
    void verify() {
        SpaceCheck.verifyAtRest(source.space);
        assertThat(FreeMemory.dirty(source.space)).isEmpty();
    }

    private void giveClean(long slabOrChunk) {
        Slabs.giveClean(source, slabOrChunk);
    }

    private ChunkStatistics statistics() {
        return source.space.statistics();
    }

    @Test
    void create_fresh_asksNobody() {
        assertThat(provider.calls(Call.RESERVE)).isZero();
        assertThat(source.slabBytes()).isEqualTo(SLAB);
        assertThat(statistics().usage().reservedBytes()).isZero();
    }

    @Test
    void takeSlab_many_areCommittedAndApart() {
        int perRoot = (int) (ROOT / SLAB);
        Set<Long> slabs = new HashSet<>();
        for (int i = 0; i < 3 * perRoot; i++) {
            long slab = Slabs.takeSlab(source);
            assertThat(slab % SLAB).isZero();
            assertThat(slabs.add(slab)).isTrue();
            SpaceCheck.verify(source.space);
        }
        assertThat(slabs).doesNotContain(0L);
        assertThat(statistics().usedBytes()).isEqualTo(3 * ROOT);
        assertThat(statistics().usedCommittedBytes()).isEqualTo(3 * ROOT);
        slabs.forEach(this::giveClean);
        assertThat(statistics().usedBytes()).isZero();
    }

    @Test
    void chunk_ofASlab_hasItsAddressAndSize() {
        long slab = Slabs.takeSlab(source);
        assertThat(Chunk.bytes(source.chunk(slab))).isEqualTo(SLAB);
        assertThat(Chunk.address(source.chunk(slab))).isEqualTo(slab);
        giveClean(slab);
    }

    @Test
    void takeSlab_slabsGiven_takesThoseFirst() {
        List<Long> slabs = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            slabs.add(Slabs.takeSlab(source));
        }
        slabs.forEach(this::giveClean);
        long pages = statistics().usage().committedTotalBytes();
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            again.add(Slabs.takeSlab(source));
        }
        assertThat(again).isEqualTo(new HashSet<>(slabs));
        assertThat(statistics().usage().committedTotalBytes()).isEqualTo(pages);
    }

    @Test
    void giveBack_used_clearsItAndGaveTellsOfIt() {
        long chunk = source.chunk(Slabs.takeSlab(source));
        for (long offset = 0; offset < 1000; offset += Long.BYTES) {
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, Chunk.address(chunk) + offset, -1L);
        }
        assertThat(told.memoryFreed).isZero();
        source.space.give(chunk, 1000);
        assertThat(told.memoryFreed).as("not before its owner knows").isZero();
        source.gave();
        assertThat(told.memoryFreed).isEqualTo(1);
    }

    @Test
    void takeSlab_fresh_asksForNoHugePages() {
        assertThat(Slabs.takeSlab(source)).isNotZero();
        assertThat(provider.calls(Call.ADVISE)).isEqualTo(1);
    }

    @Test
    void takeSlab_adviceRefused_isNoError() {
        provider.failAlways(Call.ADVISE, ENOMEM);
        assertThat(Slabs.takeSlab(source)).isNotZero();
        assertThat(statistics().usage().refusals()).isZero();
    }

    @Test
    void takeSlab_refused_isZeroAndCounted() {
        provider.fail(Call.RESERVE, 1, EPERM);
        assertThat(Slabs.takeSlab(source)).isZero();
        assertThat(statistics().usage().refusals()).isEqualTo(1);
        assertThat(Slabs.takeSlab(source)).isNotZero(); // one failure alone delays nothing
        assertThat(told.exhausted).isEmpty();
    }

    @Test
    void takeSlab_largeReservationsRefused_asksForLess() {
        provider.failWhen(Call.RESERVE, number -> number < SIZES_TRIED, ENOMEM);
        assertThat(Slabs.takeSlab(source)).isNotZero();
        assertThat(statistics().usage().reservedBytes()).isEqualTo(ROOT);
        assertThat(statistics().usage().refusals()).isEqualTo(SIZES_TRIED - 1);
    }

    @Test
    void takeSlab_commitRefused_isZeroAndGivesTheChunkBack() {
        provider.failAlways(Call.COMMIT, ENOMEM);
        assertThat(Slabs.takeSlab(source)).isZero();
        assertThat(statistics().usedBytes()).isZero();
        assertThat(statistics().usage().committedBytes()).isZero();
        assertThat(statistics().usage().refusals())
                .isPositive()
                .isEqualTo(provider.failures(Call.COMMIT));
        provider.heal();
        assertThat(Slabs.takeSlab(source)).isNotZero();
    }

    @Test
    void takeSlab_refusedManyTimesInARow_asksLessAndLess() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        List<Integer> distances = distancesBetweenAttempts(8 * ChunkSource.PAUSE_MAX);
        assertThat(distances).startsWith(1, 1, 2, 4, 8, 16);
        assertThat(distances.getLast()).isEqualTo(ChunkSource.PAUSE_MAX);
        assertThat(distances).isSorted();
    }

    @Test
    void takeSlab_healedAfterFailures_isPooledWithinThePause() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 10 * ChunkSource.PAUSE_MAX; i++) {
            assertThat(Slabs.takeSlab(source)).isZero();
        }
        provider.failWhen(Call.RESERVE, number -> number != SIZES_TRIED, ENOMEM);
        long slab = 0;
        for (int i = 0; slab == 0 && i < ChunkSource.PAUSE_MAX; i++) {
            slab = Slabs.takeSlab(source);
        }
        assertThat(slab).isNotZero();
        for (long i = SLAB; i < ROOT; i += SLAB) {
            assertThat(Slabs.takeSlab(source)).isNotZero();
        }
        assertThat(Slabs.takeSlab(source)).isZero();
        provider.heal();
        assertThat(Slabs.takeSlab(source)).isNotZero(); // success began the row anew
    }

    @Test
    void takeSlab_pausing_stillGivesWhatIsFree() {
        provider.failWhen(Call.RESERVE, number -> number != SIZES_TRIED, ENOMEM);
        long slab = Slabs.takeSlab(source);
        for (long i = SLAB; i < ROOT; i += SLAB) {
            assertThat(Slabs.takeSlab(source)).isNotZero();
        }
        for (int i = 0; i < 100; i++) {
            assertThat(Slabs.takeSlab(source)).isZero();
        }
        giveClean(slab);
        assertThat(Slabs.takeSlab(source)).isEqualTo(slab);
    }

    /** No attempt is left, so the failure is thrown, and told if memory is exhausted. */
    private static void assertGivenUp(ChunkSource limited, OutOfMemoryError failure) {
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> limited.makeRoom(0, 0, failure))
                .withMessage(failure.getMessage());
    }

    @Test
    void takeSlab_limitInTheWay_isAnErrorThatNamesIt() {
        ChunkSource limited = source(new MemoryLimits(ROOT, 8 * ROOT));
        for (long i = 0; i < ROOT; i += SLAB) {
            assertThat(Slabs.takeSlab(limited)).isNotZero();
        }
        for (int i = 1; i < 5; i++) { // and no pause: the limit may have room by now
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> Slabs.takeSlab(limited))
                    .withMessageStartingWith("committed memory must stay within its limit")
                    .withMessageContaining("exceededByBytes=" + SLAB)
                    .withCauseInstanceOf(MemoryExhaustedException.class)
                    .satisfies(failure -> assertGivenUp(limited, failure));
            assertThat(told.exhausted).hasSize(i);
        }
        assertThat(limited.space.statistics().usedBytes()).isEqualTo(ROOT);
        SpaceCheck.verifyAtRest(limited.space);
    }

    @Test
    void takeSlab_refusedWithLimits_isAnErrorThatSaysSo() {
        ChunkSource limited = source(new MemoryLimits(2 * ROOT, 8 * ROOT));
        provider.failAlways(Call.RESERVE, ENOMEM);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> Slabs.takeSlab(limited))
                .withMessageContaining("injected RESERVE")
                .satisfies(failure -> assertGivenUp(limited, failure));
        assertThat(told.exhausted).hasSize(1);
        provider.heal();
        provider.failAlways(Call.COMMIT, ENOMEM);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> Slabs.takeSlab(limited))
                .withMessageContaining("injected COMMIT");
        assertThat(limited.space.statistics().usedBytes()).isZero();
        SpaceCheck.verifyAtRest(limited.space);
    }

    @Test
    void takeSlab_limitInTheWay_takesWhatOthersDoNotNeed() {
        ChunkSource limited = source(new MemoryLimits(ROOT, 8 * ROOT));
        List<Long> kept = new ArrayList<>();
        for (long i = 0; i < ROOT; i += SLAB) {
            kept.add(Slabs.takeSlab(limited));
        }
        limited.reclaim =
                () -> {
                    if (kept.isEmpty()) {
                        return 0;
                    }
                    Slabs.giveClean(limited, kept.removeLast());
                    return 1;
                };
        for (long i = 0; i < ROOT; i += SLAB) {
            assertThat(Slabs.takeSlab(limited)).isNotZero();
        }
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> Slabs.takeSlab(limited));
        assertThat(told.exhausted).isEmpty(); // a thread that fails tells, when no lock is held
        assertGivenUp(limited, new OutOfMemoryError("of somebody else"));
        assertThat(told.exhausted).isEmpty();
    }

    @Test
    void commit_aheadOfWhatIsNeededRefused_commitsWhatIsNeeded() {
        ChunkSource limited = source(new MemoryLimits(ROOT, 8 * ROOT));
        long chunk = limited.take(ChunkLevel.ROOT, ChunkLevel.ROOT, ChunkLevel.ROOT);
        long other = limited.take(ChunkLevel.ROOT, ChunkLevel.ROOT, ChunkLevel.ROOT);
        assertThat(limited.commit(other, 0, ROOT / 2, ROOT / 2))
                .isEqualTo(Chunk.address(other) + ROOT / 2);
        long needed = wholePages(8192);
        assertThat(limited.commit(chunk, 0, 8192, ROOT)).isEqualTo(Chunk.address(chunk) + needed);
        assertThat(limited.commit(chunk, needed, needed + 1, 8 * needed))
                .isEqualTo(Chunk.address(chunk) + 8 * needed);
        assertThat(told.exhausted).isEmpty();
    }

    private static long wholePages(long bytes) {
        long page = Providers.choose().provider().osPageSize();
        return (bytes + page - 1) & -page;
    }

    @Test
    void takeLarge_noSuchSize_isOutOfMemory() {
        for (long[] sizes :
                new long[][] {
                    {Long.MAX_VALUE, 0}, {1, Long.MAX_VALUE}, {1L << 47, 1}, {(1L << 47) + 1, 0}
                }) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> source.takeLarge(sizes[0], sizes[1], true))
                    .withMessage(
                            "an allocation must fit the address space: bytes=%d, slackBytes=%d"
                                    .formatted(sizes[0], sizes[1]));
        }
        assertThat(statistics().usage().reservedBytes()).isZero();
    }

    @Test
    void close_thenTake_isRefusedAndGiveIsNot() {
        long slab = Slabs.takeSlab(source);
        Extent page = Objects.requireNonNull(source.takeLarge(5 << 20, 0, true));
        source.closed = true;
        assertThat(source.closed).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> Slabs.takeSlab(source))
                .withMessageContaining("the pool is closed");
        assertThatIllegalStateException().isThrownBy(() -> source.take(0, 0, 0));
        assertThatIllegalStateException().isThrownBy(() -> source.takeLarge(1, 0, true));
        giveClean(slab);
        source.giveLarge(page, 5 << 20);
        assertThat(statistics().usedBytes()).isZero();
        assertThat(source.pages.statistics().takenBytes()).isZero();
    }

    /** How many calls lie between one attempt to reserve and the next. */
    private List<Integer> distancesBetweenAttempts(int calls) {
        List<Integer> distances = new ArrayList<>();
        int since = 0;
        for (int i = 0; i < calls; i++) {
            long before = provider.calls(Call.RESERVE);
            assertThat(Slabs.takeSlab(source)).isZero();
            since++;
            if (provider.calls(Call.RESERVE) != before) {
                distances.add(since);
                since = 0;
            }
        }
        return distances;
    }
}
