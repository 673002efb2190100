package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.gate.Gate;
import io.polder.heap.HeapOptions;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SplittableRandom;

class CompactorTest extends EvacuationFixture {
    private static final RoomMaker.Wanted ONE_PAGE =
            RoomMaker.Wanted.page(RegionType.SMALL.bytes, 0);

    /** More than any limit has room for. */
    private static final RoomMaker.Wanted TOO_MUCH = RoomMaker.Wanted.page(Long.MAX_VALUE >> 1, 0);

    private final HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT);
    private final Gate access = new Gate(settings.fence());
    private final ToSpace toSpace = new ToSpace(regions, pages, settings);
    private final Evacuation evacuation = new Evacuation(table, map, toSpace, settings, counts);
    private final Cycle cycle = new Cycle(access, evacuation, toSpace, regions, pages, counts, 0);
    private final Compactor compactor = compactor(0);

    /** One that works by itself with a share of a processor; 0 for never. */
    private Compactor compactor(double share) {
        return new Compactor(
                cycle,
                new Allocator(regions, 1, toSpace),
                new TableCompaction(access, regions, leaves),
                share,
                settings.threads());
    }

    @Override
    void giveBackMore() {
        compactor.close();
        leaves.giveUpAll();
    }

    @Test
    void makeRoom_nothingIsDead_saysNo() {
        Region region = region();
        long full = region.bytes();
        for (long i = 0; i < full / ObjectLayout.footprint(Long.BYTES); i++) {
            long _ = object(region, i);
        }
        region.retire();
        assertThat(compactor.makeRoom(TOO_MUCH)).isFalse();
    }

    /** By a thread that had looked whether the heap is open before another closed it. */
    @Test
    void compact_heapWasClosedMeanwhile_doesNothing() {
        Region region = region();
        region.retire();
        compactor.end(() -> {});
        assertThat(compactor.compact()).isZero();
        assertThat(compactor.makeRoom(ONE_PAGE)).isFalse();
        assertThat(regions.list()).contains(region);
        assertThat(regions.close(region)).isPositive();
    }

    /** As a cycle leaves it that is thrown out of its last grace period. */
    @Test
    void makeRoom_cycleThatWasCutOff_countsWhatItsEndGivesBack() {
        Region region = region();
        region.retire();
        region.inCollectionSet = true;
        region.phase = Region.FINISHING;
        evacuation.underWay = true;
        assertThat(compactor.makeRoom(ONE_PAGE)).isTrue();
        assertThat(evacuation.underWay).isFalse();
        assertThat(pages.takenBytes()).isZero();
        assertThat(counts.givenBackBytes.get()).isEqualTo(RegionType.SMALL.bytes);
    }

    /** By an error before its first phase, or behind its last. */
    @Test
    void makeRoom_cycleThatWasCutOffAtItsBeginning_leavesWhatItHadToNewObjects() {
        long footprint = ObjectLayout.footprint(Long.BYTES);
        assertThat(toSpace.begin(RegionType.SMALL.bytes)).isTrue();
        long header = ObjectLayout.header(Long.BYTES, ObjectLayout.NO_INDEX);
        assertThat(toSpace.allocate(footprint, header)).isNotZero();
        assertThat(compactor.makeRoom(ONE_PAGE)).isTrue();
        assertThat(toSpace.hasRest(footprint)).isTrue();
    }

    /** The decay is a day here: the look is what is seen, and it does not come. */
    @Test
    void died_regionIsGivenBack_looksLaterWhetherTheHeapRests() throws InterruptedException {
        Region region = region();
        long dead = object(region, -1);
        region.retire();
        Compactor byItself = compactor(1);
        try {
            assertThat(byItself.uncommitting.isAsleep()).isTrue();
            byItself.died(HandleWordLayout.address(table.word(dead)));
            byItself.wakeIfDue();
            while (regions.list().contains(region) || !byItself.task.isAsleep()) {
                Thread.sleep(10);
            }
            assertThat(byItself.uncommitting.isAsleep()).isFalse();
        } finally {
            byItself.close();
        }
    }

    /** Whatever a cycle leaves that ends early, or whose objects mostly die before their copies. */
    @Test
    void idle_regionThatWasCopiedToHasRoom_becomesSmallAndTheHeapRests() {
        long seed = Seed.get();
        Seed.naming(seed, () -> rest(new SplittableRandom(seed)));
    }

    private void rest(SplittableRandom random) throws InterruptedException {
        Region region = region();
        long[] objects = new long[random.nextInt(1, 1000)];
        for (int i = 0; i < objects.length; i++) {
            objects[i] = object(region, i);
        }
        region.retire();
        long bytes = random.nextInt(1, 17) * RegionType.SMALL.bytes;
        CompactionPolicy.Round round = new CompactionPolicy.Round(List.of(region), bytes);
        long _ = cycle.run(round, throttle, () -> false);
        assertThat(regionOf(objects[0]).bytes()).isEqualTo(bytes);
        Region another = region();
        long dead = object(another, -1);
        another.retire();
        Compactor byItself = compactor(1);
        try {
            byItself.died(HandleWordLayout.address(table.word(dead)));
            byItself.wakeIfDue();
            while (regions.list().contains(another)
                    || !byItself.task.isAsleep()
                    || !byItself.waiting.isAsleep()) {
                Thread.sleep(10); // some three seconds, since it must not be used for one
            }
        } finally {
            byItself.close();
        }
        assertThat(CompactionPolicy.isWorthRetiring(regions.list())).isFalse();
        for (int i = 0; i < objects.length; i++) {
            assertThat(content(objects[i])).isEqualTo(i);
        }
    }
}
