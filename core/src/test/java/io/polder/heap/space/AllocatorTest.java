package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.Test;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** How many regions threads fill at the same time. */
class AllocatorTest extends SpaceFixture {
    private static final long KIB = 1 << 10;
    private static final int STRIPES = 16;

    /** So many that all stripes have some. */
    private static final int THREADS = 8 * STRIPES;

    private final ToSpace toSpace = new ToSpace(regions, pages, HeapVariant.USUAL.settings());
    private final Allocator allocator = new Allocator(regions, STRIPES, toSpace);

    private long allocate(long bytes) {
        long footprint = ObjectLayout.footprint(bytes);
        long header = ObjectLayout.header(bytes, ObjectLayout.NO_INDEX);
        int stripe = allocator.stripe();
        assertThat(allocator.open(RegionType.SMALL, footprint, stripe)).isNull();
        return allocator.allocate(RegionType.SMALL, footprint, header, stripe, false);
    }

    /** The regions in which many threads have an object each. */
    private Set<Region> regionsOfThreads() throws InterruptedException {
        Set<Region> found = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < THREADS; i++) {
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Region region = map.at(allocate(8));
                                        found.add(Objects.requireNonNull(region));
                                    });
            Await.end(thread);
        }
        return found;
    }

    @Test
    void smallHeap_hasFewCurrentRegions_howeverManyThreadsThereAre() throws InterruptedException {
        assertThat(regionsOfThreads()).hasSizeBetween(1, 2);
        assertThat(regions.count()).isLessThanOrEqualTo(2);
    }

    /** So that a heap whose size goes to and fro does not retire them again and again. */
    @Test
    void heapThatIsALittleSmaller_keepsItsCurrentRegions() throws InterruptedException {
        int enough = 4 * STRIPES; // for all stripes
        while (regions.count() < enough) {
            long _ = allocate(200 * KIB);
        }
        int current = regionsOfThreads().size();
        for (Region region : regions.list()) {
            if (region.isRetired() && regions.count() > enough / 2) {
                long _ = regions.close(region);
            }
        }
        allocator.retireCurrent(_ -> false);
        assertThat(regionsOfThreads()).hasSizeGreaterThanOrEqualTo(current);
        assertThat(regions.count()).isLessThan(enough);
    }

    @Test
    void largeHeap_hasOneForEachStripe_andFewerWhenItIsSmallAgain() throws InterruptedException {
        while (regions.count() < 5 * STRIPES) {
            long _ = allocate(200 * KIB);
        }
        assertThat(regionsOfThreads()).hasSizeGreaterThan(STRIPES / 2);
        for (Region region : regions.list()) {
            if (region.isRetired()) {
                long _ = regions.close(region);
            }
        }
        allocator.retireCurrent(_ -> false);
        assertThat(regions.list()).filteredOn(region -> !region.isRetired()).hasSizeBetween(1, 4);
        assertThat(regionsOfThreads()).hasSizeLessThanOrEqualTo(4);
    }
}
