package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MovableMemory;
import io.polder.memory.Zeroing;
import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Taking, giving, coalescing, assembling, content and bad input. */
class PageSpaceTest extends PageFixture {
    private static final PageSettings SETTINGS =
            new PageSettings(TimeUnit.DAYS.toNanos(1), false, false);

    @Test
    void take_small_fromTheLowestAddresses_othersFromTheHighest() {
        PageSpace space = space(64 * MIB);
        Extent a = space.take(1, false);
        Extent b = space.take(2 * MIB, false);
        Extent large = space.take(5 * MIB, false);

        assertThat(b.address()).isEqualTo(a.address() + 2 * MIB);
        assertThat(large.bytes()).isEqualTo(6 * MIB);
        assertThat(large.address()).isGreaterThan(b.address());
        assertThat(large.address() % (2 * MIB)).isZero();
        give(a, b, large);
    }

    /** What is known of each granule is in the Java heap, which may be smaller than the limit. */
    @Test
    void take_first_underAHugeLimit_reservesNoMoreThanLaterOnes() {
        PageSpace space = space(1L << 40);
        Extent page = small(space);
        assertThat(space.statistics().reservedBytes())
                .isBetween(1L << 30, PageAllocator.LARGEST_BYTES);
        give(page);
    }

    @Test
    void give_fusesNeighbours_inAnyOrder() {
        PageSpace space = space(64 * MIB);
        for (int[] order : new int[][] {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}) {
            Extent[] pages = {small(space), small(space), small(space)};
            for (int i : order) {
                space.give(pages[i], 0);
                PageCheck.verifyAtRest(space);
            }
            assertThat(space.largestRunBytes()).isEqualTo(6 * MIB);
        }
    }

    @Test
    void take_nothingContiguous_assemblesAndKeepsWhatOthersWrote() {
        MovableMemory.assume();
        PageSpace space = space(64 * MIB);
        List<Extent> pages = fill(space);
        List<Extent> kept = giveEverySecond(space, pages);
        paint(kept);

        Extent assembled = space.take(32 * MIB, false);

        assertThat(assembled.bytes()).isEqualTo(32 * MIB);
        PageStatistics statistics = space.statistics();
        assertThat(statistics.assembledOnAllocation()).isEqualTo(1);
        assertThat(statistics.movedBytes()).isEqualTo(32 * MIB);
        assertThat(statistics.committedBytes()).isEqualTo(64 * MIB);
        checkPaint(kept);
        give(assembled);
        give(kept);
        space.trim();
        assertThat(space.statistics().reservedBytes()).isZero();
    }

    @Test
    void take_range_takesWhatIsContiguousBeforeItAssembles() {
        PageSpace space = space(64 * MIB);
        List<Extent> pages = fill(space);
        giveRange(space, pages, 4, 8);
        giveRange(space, pages, 12, 13);

        Extent page = space.take(4 * MIB, 32 * MIB, false);

        assertThat(page.bytes()).isEqualTo(8 * MIB);
        assertThat(space.statistics().assembledOnAllocation()).isZero();
        assertThat(space.statistics().mix())
                .as("what was taken, and not what was asked for")
                .contains(new PageFigures.SizeClass(8 * MIB, 1, 8 * MIB))
                .noneMatch(taken -> taken.sizeBytes() == 32 * MIB);
        give(page);
        give(pages.subList(0, 4));
        give(pages.subList(8, 12));
        give(pages.subList(13, pages.size()));
    }

    @Test
    void take_zero_readsAsZero_whateverWasThere() {
        PageSpace space = space(16 * MIB);
        Extent dirty = space.take(16 * MIB, false);
        Zeroing.ADDRESS_SPACE.asSlice(dirty.address(), dirty.bytes()).fill((byte) 7);
        space.give(dirty, dirty.bytes());
        assertThat(space.statistics().freeDirtyBytes()).isEqualTo(16 * MIB);

        Extent clean = space.take(16 * MIB, true);

        assertThat(firstByteThatIsNotZero(clean)).isEqualTo(-1);
        assertThat(space.statistics().freeDirtyBytes()).isZero();
        give(clean);
    }

    @Test
    void take_overTheLimit_namesIt_andNothingIsLost() {
        PageSpace space = space(16 * MIB);
        Extent page = space.take(10 * MIB, false);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(8 * MIB, false))
                .withMessageContaining("committedMaxBytes=" + 16 * MIB);
        Extent rest = space.take(6 * MIB, false);
        give(page, rest);
    }

    @Test
    void take_badSizes_areRefused() {
        PageSpace space = space(16 * MIB);
        for (long bad : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> space.take(bad, true))
                    .withMessageContaining("bytes=" + bad);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> space.take(3 * MIB, 8 * MIB, true));
        assertThatIllegalArgumentException().isThrownBy(() -> space.take(8 * MIB, 4 * MIB, true));
        assertThatIllegalArgumentException().isThrownBy(() -> space.take(MIB, 4 * MIB, true));
    }

    @Test
    void give_twice_orElsewhere_isRefused() {
        PageSpace space = space(16 * MIB);
        PageSpace other = space(16 * MIB);
        Extent page = space.take(4 * MIB, false);
        assertThatIllegalArgumentException().isThrownBy(() -> other.give(page, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> space.give(page, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> space.give(page, 4 * MIB + 1));
        space.give(page, 0);
        assertThatIllegalStateException().isThrownBy(() -> space.give(page, 0));
        Extent next = space.take(4 * MIB, false);
        assertThatIllegalStateException().isThrownBy(() -> space.give(page, 0));
        give(next);
    }

    /** Who makes room of addresses uncommits what is free, also where none can be released. */
    @Test
    void take_limitOnAddresses_freeNeighboursBecomeOneRun() {
        assumeTrue(provider.canUncommit());
        PageSpace space = space(addresses(8 * MIB), SETTINGS);
        give(space.take(8 * MIB, false));
        Extent first = small(space);
        assertThat(new ByHand(space).uncommitter.uncommit(2)).isEqualTo(2);
        Extent rest = space.take(6 * MIB, false);
        assertThat(rest.address()).isEqualTo(first.address() + 2 * MIB);
        give(first, rest);
    }

    /** A pool may have a limit on addresses alone. */
    @Test
    void exhausted_limitOnAddresses_namesIt() {
        PageSpace space = space(addresses(32 * MIB), SETTINGS);
        assertThat(space.exhausted(space.roomBytes(), 2 * MIB, 32 * MIB))
                .hasMessage(
                        "reserved memory must stay within its limit: reservedMaxBytes=33554432,"
                                + " reservedBytes=0, keptFreeBytes=2097152,"
                                + " requestedBytes=33554432, exceededByBytes=2097152");
    }

    private static MemoryLimits addresses(long reservedMaxBytes) {
        return new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, reservedMaxBytes);
    }

    private static void giveRange(PageSpace space, List<Extent> pages, int from, int to) {
        pages.subList(from, to).forEach(page -> space.give(page, 0));
    }
}
