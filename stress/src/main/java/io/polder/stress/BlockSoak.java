package io.polder.stress;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;
import io.polder.memory.Zeroing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Eight threads that allocate blocks of every size, free them, pass them on to be freed by others,
 * and end now and then so that others take over: no byte may be lost, the resident set may not grow
 * from round to round, and in the end nothing is committed.
 *
 * <pre>{@code
 *   warm-ups | round | round | ... | all is freed, trim
 *             RSS after each, when all blocks of it are free and the pool is trimmed
 * }</pre>
 *
 * <p>Exit code 0 if all is well, 1 if not, 2 for arguments that are none.
 */
public final class BlockSoak {
    private static final int THREADS = 8;
    private static final int ROUNDS = 12;

    /** So many rounds in a row add nearly nothing before it begins, and are left out of those. */
    private static final int WARM_UPS = 4;

    /** A leak grows in each series of rounds; what compilers need late, in a few of short ones. */
    private static final int SERIES_MAX = 10;

    /** Where memory grows without end the warm-up ends all the same. */
    private static final int WARM_UPS_MAX = 60;

    /** Blocks of a thread, of which few are large. */
    private static final int LIVE = 400;

    /** Places in which blocks are left for other threads. */
    private static final int PLACES = 64;

    /** Of so many blocks, one has up to 4 MiB; of the others, so many one has up to 64 KiB. */
    private static final int LARGE_OF = 2000;

    private static final int MIDDLE_OF = 20;
    private static final int WORD_BYTES = Long.BYTES;
    private static final Duration DECAY = Duration.ofMillis(50);

    private final MemoryPool pool = MemoryPool.builder().name("blocks").decay(DECAY).build();
    private final BlockAllocator blocks = pool.blocks();
    private final AtomicReferenceArray<Block> places = new AtomicReferenceArray<>(PLACES);
    private final LongAdder allocated = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final LongAdder moved = new LongAdder();
    private final int leakEvery;

    private BlockSoak(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    /** A block and what is written to both its ends. */
    private record Block(long address, long bytes, long mark) {
        static Block painted(long address, long bytes, long mark) {
            if (bytes >= WORD_BYTES) {
                set(address, mark);
            }
            if (bytes >= 2 * WORD_BYTES) {
                set(address + bytes - WORD_BYTES, mark);
            }
            return new Block(address, bytes, mark);
        }

        /** Both ends are there, as far as the block still has so many bytes. */
        void check(long keptBytes) {
            boolean begin = bytes < WORD_BYTES || get(address) == mark;
            boolean end = keptBytes < bytes || bytes < 2 * WORD_BYTES || get(last()) == mark;
            if (!begin || !end) {
                throw new AssertionError("what was written stays: " + this);
            }
        }

        private long last() {
            return address + bytes - WORD_BYTES;
        }

        private static long get(long address) {
            return Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, address);
        }

        private static void set(long address, long word) {
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, address, word);
        }
    }

    /**
     * Runs the soak.
     *
     * @param arguments any of {@code --count N}, how many operations each thread does, and {@code
     *     --leak-every N}: one block in this many is never freed, to show that a leak is found
     */
    public static void main(String[] arguments) throws InterruptedException {
        SoakArguments given = SoakArguments.of("BlockSoak", 5_000_000, arguments);
        System.exit(new BlockSoak(given.leakEvery()).soak(given.count()) ? 0 : 1);
    }

    private boolean soak(int count) throws InterruptedException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        boolean flat = false;
        for (int series = 0; series < SERIES_MAX && !flat; series++) {
            flat = isFlat(random, count / ROUNDS);
        }
        long committed = pool.stats().committedBytes();
        boolean varied = passed.sum() > 0 && moved.sum() > 0;
        boolean ok = flat && varied && committed == 0;
        System.out.printf(
                "%s: seed %d; %,d blocks, %,d freed by others, %,d reallocated; committed %,d"
                        + " bytes; %s%n",
                ok ? "ok" : "FAILED",
                seed,
                allocated.sum(),
                passed.sum(),
                moved.sum(),
                committed,
                pool.stats().blocks());
        return ok;
    }

    /** Whether the resident set does not grow over some rounds. */
    private boolean isFlat(SplittableRandom random, int count) throws InterruptedException {
        Rss rss = warm(random, count);
        boolean flat = true;
        for (int round = WARM_UPS; round < ROUNDS; round++) {
            round(random, count);
            flat &= rss.isWithinLimit();
        }
        return rss.report() && flat;
    }

    /** Rounds until some in a row add nearly nothing: until compilers have done, mostly. */
    private Rss warm(SplittableRandom random, int count) throws InterruptedException {
        Rss rss = Rss.warm();
        int still = 0;
        for (int rounds = 0; rounds < WARM_UPS_MAX && still < WARM_UPS; rounds++) {
            round(random, count);
            still = rss.isStill() ? still + 1 : 0;
            rss = still == 0 ? Rss.warm() : rss;
        }
        return rss;
    }

    /** All threads are new, do this many operations, free what they have, and end. */
    private void round(SplittableRandom random, int count) throws InterruptedException {
        List<Thread> threads = SoakThreads.start(THREADS, random, own -> run(own, count));
        for (Thread thread : threads) {
            thread.join();
        }
        for (int place = 0; place < PLACES; place++) {
            Block left = places.getAndSet(place, null);
            if (left != null) {
                free(left);
            }
        }
        pool.trim();
    }

    private void run(SplittableRandom random, int count) {
        List<Block> own = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int dice = random.nextInt(1000);
            if (dice == 0 && i % 64 == 0) {
                pool.trim();
            } else if (own.size() < LIVE / 2 || (own.size() < LIVE && dice < 500)) {
                own.add(allocate(random));
            } else {
                Block block = own.remove(random.nextInt(own.size()));
                int what = random.nextInt(10);
                if (what == 0) {
                    own.add(reallocate(block, random));
                } else if (what < 4) {
                    passOn(block, random);
                } else {
                    free(block);
                }
            }
        }
        own.forEach(this::free);
    }

    private Block allocate(SplittableRandom random) {
        long bytes = size(random);
        allocated.increment();
        return Block.painted(blocks.allocateAddress(bytes), bytes, random.nextLong());
    }

    private Block reallocate(Block block, SplittableRandom random) {
        long bytes = size(random);
        block.check(block.bytes);
        long address = blocks.reallocateAddress(block.address, bytes);
        moved.increment();
        if (bytes >= WORD_BYTES) {
            new Block(address, block.bytes, block.mark).check(bytes);
        }
        return Block.painted(address, bytes, random.nextLong());
    }

    /** Leaves it to others, and frees what was left there. */
    private void passOn(Block block, SplittableRandom random) {
        Block left = places.getAndSet(random.nextInt(PLACES), block);
        if (left != null) {
            passed.increment();
            free(left);
        }
    }

    private void free(Block block) {
        block.check(block.bytes);
        if (leakEvery > 0 && allocated.sum() % leakEvery == 0) {
            return;
        }
        blocks.freeAddress(block.address);
    }

    private static long size(SplittableRandom random) {
        if (random.nextInt(LARGE_OF) == 0) {
            return random.nextLong(4L << 20);
        }
        return random.nextInt(MIDDLE_OF) == 0 ? random.nextInt(64 << 10) : random.nextInt(1025);
    }
}
