package io.polder.lab.experiments.blocks;

import java.util.SplittableRandom;

/**
 * Larson and Krishnan's server, as mimalloc-bench runs it: blocks that live in an array which a
 * thread inherits from the thread before it, with the blocks. After so many rounds a thread starts
 * its successor and ends. An operation is a free and an allocation, in a place drawn at random.
 */
final class Larson implements Work {
    /** {@code larson 5 8 1000 5000 100 4141 THREADS}: seconds, sizes, blocks, rounds, seed. */
    static final int BLOCKS = 5000;

    private static final int LEAST_BYTES = 8;
    private static final int MOST_BYTES = 999;
    private static final int ROUNDS = 100;

    /** So often all blocks are replaced before, by the thread that started. */
    private static final int REPLACED = 4;

    private final BlockSource source;
    private final BlockSizes sizes = BlockSizes.uniform(LEAST_BYTES, MOST_BYTES);
    private final long[] addresses;
    private final long firstOwner;
    private long random;

    /** Allocates the blocks, as the main thread does. */
    Larson(BlockSource source, int blocks, int thread, long seed) {
        this.source = source;
        this.addresses = new long[blocks];
        this.firstOwner = (long) thread * blocks;
        this.random = Work.firstRandom(seed, thread);
        for (int slot = 0; slot < blocks; slot++) {
            random = Work.next(random);
            allocate(slot);
        }
        shuffle(seed);
        for (int i = 0; i < REPLACED; i++) {
            pass();
        }
    }

    private void shuffle(long seed) {
        SplittableRandom shuffling = new SplittableRandom(seed);
        for (int slot = addresses.length - 1; slot > 0; slot--) {
            int other = shuffling.nextInt(slot + 1);
            long address = addresses[slot];
            addresses[slot] = addresses[other];
            addresses[other] = address;
        }
        for (int slot = 0; slot < addresses.length; slot++) {
            mark(slot);
        }
    }

    @Override
    public long pass() {
        long drawn = random;
        for (int i = 0; i < addresses.length; i++) {
            drawn = Work.next(drawn);
            random = drawn;
            int slot = (int) (((drawn & 0xFFFF_FFFFL) * addresses.length) >>> Integer.SIZE);
            free(slot);
            allocate(slot);
        }
        return addresses.length;
    }

    @Override
    public int passesOfAThread() {
        return ROUNDS;
    }

    @Override
    public void end() {
        for (int slot = 0; slot < addresses.length; slot++) {
            free(slot);
        }
    }

    private void allocate(int slot) {
        addresses[slot] = source.allocate(sizes.at(random));
        mark(slot);
    }

    /** The beginning only, as the original does. */
    private void mark(int slot) {
        Marks.write(addresses[slot], Marks.WORD_BYTES, firstOwner + slot);
    }

    private void free(int slot) {
        Marks.check(addresses[slot], Marks.WORD_BYTES, firstOwner + slot);
        source.free(addresses[slot]);
    }
}
