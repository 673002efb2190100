package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * What was freed in a full heap can be allocated again, whatever limit it has, how large its
 * objects are and were, and which of them were freed; and a fresh heap takes any size that its
 * limit has room for.
 *
 * <p>The rule: four fifths of what was freed, but for one object and the pages of the largest one,
 * since pages are whole. And a compaction never makes a heap hold more.
 */
class HeapRuleTest extends HeapFixture {
    private static final int ROUNDS = TestScale.of(12, 18);
    private static final int FRESH_ROUNDS = TestScale.of(20, 100);
    private static final long LEAST = 200;
    private static final long MOST = 4_000_000;

    /** So much of what was freed at least, in percent. */
    private static final int AGAIN = 80;

    /** Sizes between two, those of each order of magnitude as often. */
    private record Sizes(double least, double most) {
        static Sizes random(SplittableRandom random, long limitBytes) {
            double largest = Math.min(MOST, limitBytes - 6.0 * MIB);
            double least = LEAST * Math.pow(largest / LEAST, random.nextDouble());
            double most =
                    random.nextBoolean()
                            ? least
                            : least * Math.pow(largest / least, random.nextDouble());
            return new Sizes(least, most);
        }

        long next(SplittableRandom random) {
            return (long) (least * Math.pow(most / least, random.nextDouble()));
        }
    }

    private enum Limit {
        OF_THE_HEAP,
        OF_THE_POOL,
        OF_BOTH
    }

    private RelocatingHeap open(PageSpace pages, Limit limit, HeapOptions options, long bytes) {
        HeapOptions own = limit == Limit.OF_THE_POOL ? options : options.withMaxBytes(bytes);
        return heap(pages, HeapVariant.USUAL.settings(own).withReserve(limit != Limit.OF_THE_HEAP));
    }

    private PageSpace pages(Limit limit, long bytes) {
        return pages(limit == Limit.OF_THE_HEAP ? 1024 * MIB : bytes);
    }

    private void close(RelocatingHeap heap, PageSpace pages) {
        HeapCheck.verifyAtRest(space(heap));
        heap.close();
        assertThat(pages.trim()).isNotNegative();
    }

    @Test
    void freedInAFullHeap_canBeAllocatedAgain() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        oneRound(random);
                    }
                });
    }

    private void oneRound(SplittableRandom random) {
        Limit limit = Limit.values()[random.nextInt(3)];
        long bytes = 8 * MIB + random.nextLong(random.nextBoolean() ? 313 * MIB : 40 * MIB);
        double compactionShare = random.nextInt(2) * 0.25;
        PageSpace pages = pages(limit, bytes);
        RelocatingHeap heap =
                open(pages, limit, HeapOptions.DEFAULT.withCompactionShare(compactionShare), bytes);
        List<Long> handles = new ArrayList<>();
        long page = RegionType.SMALL.bytes;
        int others = random.nextInt(3);
        for (int before = others; before >= 0; before--) {
            Sizes sizes = Sizes.random(random, bytes);
            page = Math.max(page, PageSpace.roundUp((long) sizes.most + Long.BYTES));
            for (long handle; (handle = heap.tryAllocate(sizes.next(random))) != 0; ) {
                handles.add(handle);
            }
            double share = 0.25 + 0.4 * random.nextDouble();
            long freed = 0;
            List<Long> kept = new ArrayList<>();
            for (long handle : handles) {
                if (random.nextDouble() < share) {
                    freed += heap.size(handle);
                    heap.free(handle);
                } else {
                    kept.add(handle);
                }
            }
            handles = kept;
            if (before == 0) {
                String what = limit + ", " + bytes + ", share=" + share;
                checkAgain(heap, sizes, freed, page, random, what);
            }
        }
        checkCompacted(heap, handles, random);
        close(heap, pages);
    }

    private static void checkAgain(
            RelocatingHeap heap,
            Sizes sizes,
            long freed,
            long page,
            SplittableRandom random,
            String what) {
        long again = 0;
        long refused = 0;
        long before = heap.stats().liveBytes();
        while (again < freed && refused == 0) {
            long size = sizes.next(random);
            if (heap.tryAllocate(size) == 0) {
                refused = size;
            } else {
                again += size;
            }
        }
        assertThat(again + refused + page)
                .as("%s, %s, freed=%d, live=%d, %s", what, sizes, freed, before, heap.stats())
                .isGreaterThanOrEqualTo(freed * AGAIN / 100);
    }

    private static void checkCompacted(
            RelocatingHeap heap, List<Long> handles, SplittableRandom random) {
        for (long handle : handles) {
            if (random.nextBoolean()) {
                heap.free(handle);
            }
        }
        HeapStatistics before = heap.stats();
        long _ = heap.compact();
        HeapStatistics after = heap.stats();
        assertThat(after.regionBytes() + after.tableBytes())
                .as("%s, then %s", before, after)
                .isLessThanOrEqualTo(before.regionBytes() + before.tableBytes());
    }

    @Test
    void fresh_takesAnySizeUpToTheLimitLessOneRegion() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int round = 0; round < FRESH_ROUNDS; round++) {
                        long bytes = 8 * MIB + random.nextLong(313 * MIB);
                        long granules = bytes & -RegionType.SMALL.bytes;
                        long most = granules - RegionType.SMALL.bytes - 3 * Long.BYTES;
                        LongStream sizes =
                                LongStream.of(
                                        most,
                                        random.nextLong(most),
                                        random.nextLong(1 + random.nextLong(most)),
                                        1L << (20 + random.nextInt(3)),
                                        4 * MIB - random.nextLong(3) * Long.BYTES);
                        Limit limit = Limit.values()[random.nextInt(3)];
                        sizes.forEach(size -> checkFresh(limit, bytes, size));
                    }
                });
    }

    private void checkFresh(Limit limit, long bytes, long size) {
        PageSpace pages = pages(limit, bytes);
        RelocatingHeap heap = open(pages, limit, HeapOptions.DEFAULT.withCompactionShare(0), bytes);
        assertThat(heap.tryAllocate(size))
                .as("%s, limit=%d, size=%d", limit, bytes, size)
                .isNotZero();
        close(heap, pages);
    }
}
