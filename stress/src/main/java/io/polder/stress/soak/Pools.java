package io.polder.stress.soak;

import io.polder.MemoryPool;
import io.polder.SoakedPool;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.FaultyProvider;
import io.polder.stress.everywhere.Require;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The pools of the server: one without limits, one that hits its limit now and then, and one that
 * is there for a round only. The first two have a heap each. All look for leaks, and all have the
 * same provider, which refuses a system call now and then.
 */
final class Pools {
    private static final long TIGHT_BYTES = 28L << 20;
    private static final long HEAP_BYTES = 24L << 20;
    private static final double COMPACTION_SHARE = 0.25;
    private static final Duration DECAY = Duration.ofMillis(250);
    private static final Duration TIGHT_DECAY = Duration.ofMillis(20);

    /** How long the background may take for what it has begun. */
    private static final long REST_NANOS = 60_000_000_000L;

    /** How long the address space of a closed pool may take to come back. */
    private static final long RELEASE_NANOS = 60_000_000_000L;

    private final FaultyProvider faulty;
    private final SoakedPool wide;
    private final SoakedPool tight;
    private final HeapObjects wideObjects;
    private final HeapObjects tightObjects;
    private SoakedPool passing;

    Pools(FaultyProvider faulty) {
        this.faulty = faulty;
        this.wide = new SoakedPool("wide", faulty.provider(), Long.MAX_VALUE, DECAY);
        this.tight = new SoakedPool("tight", faulty.provider(), TIGHT_BYTES, TIGHT_DECAY);
        this.passing = openPassing();
        this.wideObjects = new HeapObjects(openHeap(wide));
        this.tightObjects = new HeapObjects(openHeap(tight));
    }

    private static RelocatingHeap openHeap(SoakedPool pool) {
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(HEAP_BYTES);
        return pool.pool().openHeap(options.withCompactionShare(COMPACTION_SHARE));
    }

    private SoakedPool openPassing() {
        return new SoakedPool("passing", faulty.provider(), Long.MAX_VALUE, DECAY);
    }

    /** One of them, mostly one that stays. */
    MemoryPool any(SplittableRandom random) {
        int dice = random.nextInt(8);
        return (dice == 0 ? passing : dice < 5 ? wide : tight).pool();
    }

    HeapObjects objects(SplittableRandom random) {
        return random.nextBoolean() ? wideObjects : tightObjects;
    }

    void fillHeaps(SplittableRandom random) {
        wideObjects.fill(random);
        tightObjects.fill(random);
    }

    private List<SoakedPool> all() {
        return List.of(wide, tight, passing);
    }

    /** Memory behind all of them now. */
    long committedBytes() {
        return all().stream().mapToLong(each -> each.pool().stats().committedBytes()).sum();
    }

    /**
     * What they refused so far, by limits and because the system did; without pools that passed.
     */
    long refusals() {
        return wide.pool().stats().refusals() + tight.pool().stats().refusals();
    }

    /** What heaps have moved so far. */
    long evacuatedBytes() {
        return evacuated(wide) + evacuated(tight);
    }

    private static long evacuated(SoakedPool pool) {
        return pool.pool().stats().heaps().stream().mapToLong(each -> each.evacuatedBytes()).sum();
    }

    /** Checks what holds while threads run. */
    void verify() {
        all().forEach(SoakedPool::verify);
    }

    /**
     * Gives all free memory back, and checks that nobody has anything but the heaps, whose objects
     * are as they were left; and replaces the pool that is there for a round.
     *
     * @throws AssertionError if something is not as it should be
     */
    void rest() throws InterruptedException {
        faulty.quiet(true);
        for (SoakedPool each : all()) {
            rest(each);
        }
        wideObjects.checkAll();
        tightObjects.checkAll();
        replacePassing();
        faulty.quiet(false);
    }

    /** What the background is about to close or give back it may end first. */
    private static void rest(SoakedPool pool) throws InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            try {
                long _ = pool.pool().trim();
                pool.requireAtRest();
                return;
            } catch (AssertionError wrong) {
                if (System.nanoTime() - begin > REST_NANOS) {
                    throw wrong;
                }
            }
            Thread.sleep(10);
        }
    }

    private void replacePassing() throws InterruptedException {
        MemoryPool closed = passing.pool();
        closed.close();
        long begin = System.nanoTime();
        while (closed.stats().reservedBytes() > 0) {
            Require.that(
                    System.nanoTime() - begin < RELEASE_NANOS,
                    "a closed pool that nobody uses is released: " + closed.report());
            Thread.sleep(10);
        }
        passing = openPassing();
    }
}
