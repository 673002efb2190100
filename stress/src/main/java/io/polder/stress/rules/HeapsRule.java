package io.polder.stress.rules;

import io.polder.MemoryPool;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A full heap with garbage finds room for what a fresh one would take, whatever was in it before,
 * or for others of its pool; and one in which nothing lives gives its memory back.
 *
 * <p>Heaps with random limits, of their own or of their pool, are filled with objects of random
 * sizes, now and then with a few large ones among them, and a random share of them is freed, a few
 * times. Four fifths of what was freed last can be allocated again, but for one object and the
 * pages of the largest, since pages are whole. Under a limit on addresses free pages may lie apart:
 * there all heaps together are looked at.
 */
public final class HeapsRule {
    private static final long MIB = 1 << 20;
    private static final double LEAST = 200;
    private static final double MOST = 4_000_000;

    /** This part of what was freed must be granted again. */
    private static final double AGAIN = 0.8;

    private static final long PAGE = 2 * MIB;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** One object of so many is large, if any are. */
    private static final int RARE = 300;

    /**
     * Sizes between two, those of each order of magnitude as often, and a rare one.
     *
     * @param rare 0 for none
     */
    private record Sizes(double least, double most, double rare) {
        static Sizes random(Random random, long limitBytes) {
            double largest = Math.min(MOST, limitBytes - 3.0 * PAGE);
            double least = LEAST * Math.pow(largest / LEAST, random.nextDouble());
            double most = least * Math.pow(largest / least, random.nextDouble());
            double rare = random.nextInt(3) > 0 ? 0 : most + random.nextDouble() * (largest - most);
            return new Sizes(least, random.nextBoolean() ? least : most, rare);
        }

        double largest() {
            return Math.max(most, rare);
        }

        long next(Random random) {
            boolean isRare = rare > 0 && random.nextInt(RARE) == 0;
            return (long) (isRare ? rare : least * Math.pow(most / least, random.nextDouble()));
        }
    }

    /** Under limits on addresses this part of what was freed may be refused, on average. */
    private static final double REFUSED_APART = 0.06;

    /** For an average. */
    private static final int APART_LEAST = 100;

    private long rounds;
    private long roundsApart;

    /** The parts that were refused in these, summed up. */
    private double refusedApart;

    /**
     * Searches for heaps that refuse too early, or keep what nothing lives in.
     *
     * @param random makes the heaps and the objects
     * @param duration for how long
     * @throws AssertionError if one is found; says which
     */
    public void run(Random random, Duration duration) throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < end) {
            round(random);
            rounds++;
        }
        double refused = roundsApart == 0 ? 0 : refusedApart / roundsApart;
        String apart = "with limits on addresses=" + roundsApart + ", refused=" + refused;
        System.out.println("heaps: rounds=" + rounds + ", " + apart);
        if (roundsApart >= APART_LEAST && refused > REFUSED_APART) {
            throw new AssertionError("most of what was freed can be allocated again: " + apart);
        }
    }

    private void round(Random random) throws InterruptedException {
        long limit = 8 * MIB + random.nextLong(random.nextBoolean() ? 313 * MIB : 40 * MIB);
        boolean own = random.nextBoolean();
        boolean addresses = !own && random.nextBoolean();
        boolean background = random.nextBoolean();
        MemoryPool.Builder builder =
                MemoryPool.builder().name("rule-of-heaps").logExhaustion(false);
        HeapOptions options = HeapOptions.DEFAULT.withCompactionShare(background ? 0.25 : 0);
        if (!own) {
            builder =
                    addresses ? builder.reservedMaxBytes(limit) : builder.committedMaxBytes(limit);
        }
        try (MemoryPool pool = builder.build();
                RelocatingHeap heap = pool.openHeap(own ? options.withMaxBytes(limit) : options)) {
            List<Long> handles = new ArrayList<>();
            long pages = PAGE;
            int others = random.nextInt(4);
            for (int before = others; before >= 0; before--) {
                Sizes sizes = Sizes.random(random, limit);
                pages = Math.max(pages, (long) Math.ceil((sizes.largest() + 8) / PAGE) * PAGE);
                fill(heap, sizes, Long.MAX_VALUE, handles, random);
                long freed = free(heap, 0.25 + 0.4 * random.nextDouble(), handles, random);
                if (before > 0) {
                    continue;
                }
                boolean byOthers = !own && random.nextInt(3) == 0;
                Again again =
                        byOthers
                                ? takeByOthers(pool, heap, freed, handles, random)
                                : new Again(freed, fill(heap, sizes, freed, handles, random));
                if (addresses) {
                    roundsApart += again.freed == 0 ? 0 : 1;
                    refusedApart += again.freed == 0 ? 0 : (double) again.refused / again.freed;
                } else if (again.refused > (1 - AGAIN) * again.freed + sizes.largest() + pages) {
                    throw new AssertionError(
                            "what was freed can be allocated again: "
                                    + again
                                    + ", byOthers="
                                    + byOthers
                                    + ", limit="
                                    + limit
                                    + ", own="
                                    + own
                                    + ", sizes="
                                    + sizes
                                    + ", "
                                    + heap.stats());
                }
            }
            long _ = free(heap, 1, handles, random);
            if (background) {
                awaitNothingHeld(heap);
            }
        }
    }

    /**
     * What can be allocated again.
     *
     * @param freed in bytes
     * @param refused how much of that
     */
    private record Again(long freed, long refused) {}

    /** Has others of the pool take pages as long as there are any, also when a little more died. */
    private static Again takeByOthers(
            MemoryPool pool, RelocatingHeap heap, long freed, List<Long> handles, Random random) {
        List<Page> pages = new ArrayList<>();
        try {
            long all = freed;
            takeAll(pool, pages);
            for (int i = random.nextInt(4); i > 0; i--) {
                all += free(heap, 0.1, handles, random);
                takeAll(pool, pages);
            }
            return new Again(all, all - pages.size() * PAGE);
        } finally {
            pages.forEach(Page::close);
        }
    }

    private static void takeAll(MemoryPool pool, List<Page> pages) {
        try {
            while (true) {
                pages.add(pool.pages().allocate(PAGE));
            }
        } catch (OutOfMemoryError _) {
            // That is all.
        }
    }

    /** Allocates so many bytes; returns how many of them were refused. */
    private static long fill(
            RelocatingHeap heap, Sizes sizes, long bytes, List<Long> handles, Random random) {
        long left = bytes;
        while (left > 0) {
            long size = sizes.next(random);
            long handle = heap.tryAllocate(size);
            if (handle == 0) {
                return left;
            }
            handles.add(handle);
            left -= size;
        }
        return 0;
    }

    /** Frees a share of the objects; returns how many bytes they had. */
    private static long free(RelocatingHeap heap, double share, List<Long> handles, Random random) {
        List<Long> kept = new ArrayList<>();
        long freed = 0;
        for (long handle : handles) {
            if (random.nextDouble() < share) {
                freed += heap.size(handle);
                heap.free(handle);
            } else {
                kept.add(handle);
            }
        }
        handles.clear();
        handles.addAll(kept);
        return freed;
    }

    private static void awaitNothingHeld(RelocatingHeap heap) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (heap.stats().regionBytes() > 0) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "an idle heap in which nothing lives keeps no regions: " + heap.stats());
            }
            Thread.sleep(20);
        }
    }
}
