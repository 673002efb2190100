package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

class ReserveTest extends SpaceFixture {
    private static final long PAGE = PageSpace.GRANULE_BYTES;
    private static final long LIMIT = 16 * PAGE;

    private final HeapPages limited = pagesWithin(LIMIT);
    private final Regions all = new Regions(limited, map, new Loans());
    private final Reserve reserve = new Reserve(all, limited);

    @AfterEach
    void close() {
        all.closeAll();
        assertThat(limited.takenBytes()).isZero();
    }

    private Region taken(long bytes) {
        return Objects.requireNonNull(reserve.take(bytes));
    }

    @Test
    void take_givesWhatIsAskedFor_andKeepsTheRest() {
        Region others = Objects.requireNonNull(reserve.open(LIMIT - 6 * PAGE));
        reserve.keep(6 * PAGE);
        assertThat(reserve.bytes()).isEqualTo(6 * PAGE);
        Region page = taken(4 * PAGE);
        assertThat(page.bytes()).isEqualTo(4 * PAGE);
        reserve.keep(6 * PAGE);
        assertThat(reserve.bytes()).isEqualTo(2 * PAGE);
        assertThat(reserve.has(page)).isFalse();
        others.retire();
        long _ = all.close(others);
        long given = limited.given;
        reserve.keep(6 * PAGE);
        assertThat(reserve.bytes()).isEqualTo(6 * PAGE);
        assertThat(limited.given).as("nothing is given back for that").isEqualTo(given);
        assertThat(taken(6 * PAGE).bytes()).as("of two pieces").isEqualTo(6 * PAGE);
    }

    @Test
    void take_ofWhatItHasNot_isNullAndTakesNothing() {
        Region _ = Objects.requireNonNull(reserve.open(LIMIT - 4 * PAGE));
        reserve.keep(3 * PAGE);
        assertThat(reserve.take(5 * PAGE)).isNull();
        assertThat(reserve.bytes()).isEqualTo(3 * PAGE);
        assertThat(taken(4 * PAGE).bytes()).as("with the room beside it").isEqualTo(4 * PAGE);
        assertThat(reserve.bytes()).isZero();
    }

    @Test
    void keep_less_givesBackNoMoreThanThat() {
        reserve.keep(PAGE);
        reserve.keep(3 * PAGE);
        Region larger = all.list().getLast();
        assertThat(larger.bytes()).isEqualTo(2 * PAGE);
        long given = limited.given;
        reserve.keep(2 * PAGE);
        assertThat(limited.given - given).isEqualTo(1);
        assertThat(all.list()).containsExactly(larger);
    }

    @Test
    void keep_lessThanItsLargestPiece_keepsTheSmallOnes() {
        reserve.keep(PAGE);
        reserve.keep(2 * PAGE);
        Region largest = Objects.requireNonNull(reserve.open(4 * PAGE));
        largest.retire();
        assertThat(reserve.add(largest)).isEqualTo(4 * PAGE);
        long given = limited.given;
        reserve.keep(2 * PAGE);
        assertThat(reserve.bytes()).isEqualTo(2 * PAGE);
        assertThat(limited.given - given).as("the largest one goes").isEqualTo(1);
    }

    /** There is memory for all of it, but no page as large. */
    @Test
    void keep_freePagesLieApart_keepsAllOfThem() {
        MemoryLimits limits = new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, 4 * PAGE);
        PageSpace space =
                new PageSpace(
                        Providers.choose().provider(),
                        new MemoryBudget(limits, ""),
                        new Background("test-reserve"),
                        new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                        Exhaustion.IGNORED,
                        null);
        List<Extent> pairs = List.of(space.take(2 * PAGE, false), space.take(2 * PAGE, false));
        List<Extent> singles = new ArrayList<>();
        for (Extent pair : pairs) {
            space.give(pair, 0);
            singles.add(space.take(PAGE, false));
            singles.add(space.take(PAGE, false));
        }
        space.give(singles.remove(2), 0);
        space.give(singles.remove(0), 0);
        HeapPages its = new HeapPages(space, Exhaustion.IGNORED, LIMIT);
        Regions apart = new Regions(its, map, new Loans());
        Reserve pieces = new Reserve(apart, its);
        pieces.keep(2 * PAGE);
        assertThat(pieces.bytes()).isEqualTo(2 * PAGE);
        assertThat(pieces.take(2 * PAGE)).isNull();
        apart.closeAll();
        singles.forEach(page -> space.give(page, 0));
        space.close();
    }

    /** What was cut off has closed a piece, or was about to. */
    @Test
    void bytes_pieceThatIsGone_isNoneOfIt() {
        reserve.keep(2 * PAGE);
        Region piece = all.list().getFirst();
        piece.retire();
        assertThat(reserve.bytes()).isZero();
        reserve.keep(2 * PAGE);
        assertThat(reserve.bytes()).isEqualTo(2 * PAGE);
        assertThat(piece.isEmptied()).as("goes back like others").isTrue();
    }

    @Test
    void anyOrder_neverBeyondTheLimit_andAlwaysWhatThereIs() {
        long seed = Seed.get();
        Seed.naming(seed, () -> anyOrder(new SplittableRandom(seed)));
    }

    private void anyOrder(SplittableRandom random) {
        List<Region> others = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long bytes = PAGE * (1 + random.nextInt(8));
            long had = reserve.bytes();
            long room = limited.roomToEvacuate();
            switch (random.nextInt(3)) {
                case 0 -> {
                    reserve.keep(bytes);
                    assertThat(reserve.bytes()).isEqualTo(Math.min(bytes, had + room));
                }
                case 1 -> {
                    Region page = reserve.take(bytes);
                    assertThat(page != null).isEqualTo(bytes <= had + room);
                    if (page != null) {
                        assertThat(page.bytes()).isEqualTo(bytes);
                        others.add(page);
                    }
                }
                default -> {
                    if (!others.isEmpty()) {
                        Region given = others.remove(random.nextInt(others.size()));
                        given.retire();
                        long _ = all.close(given);
                    }
                }
            }
            long inUse = others.stream().mapToLong(Region::bytes).sum() + reserve.bytes();
            assertThat(limited.takenBytes()).isEqualTo(inUse).isLessThanOrEqualTo(LIMIT);
        }
    }
}
