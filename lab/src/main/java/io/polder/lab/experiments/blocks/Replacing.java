package io.polder.lab.experiments.blocks;

/**
 * A working set of blocks, one of which, drawn at random, is freed and allocated anew with another
 * size. An operation is a free and an allocation.
 */
final class Replacing implements Work {
    private final BlockSource source;
    private final BlockSizes sizes;
    private final long[] addresses;
    private final int[] bytes;
    private final long firstOwner;
    private long random;

    /** The working set of a thread, which begins to be when the work begins. */
    Replacing(BlockSource source, BlockSizes sizes, int blocks, int thread, long seed) {
        this.source = source;
        this.sizes = sizes;
        this.addresses = new long[blocks];
        this.bytes = new int[blocks];
        this.firstOwner = (long) thread * blocks;
        this.random = Work.firstRandom(seed, thread);
    }

    @Override
    public void begin() {
        for (int slot = 0; slot < addresses.length; slot++) {
            random = Work.next(random);
            allocate(slot, sizes.at(random));
        }
    }

    @Override
    public long pass() {
        long drawn = random;
        for (int i = 0; i < PASS; i++) {
            drawn = Work.next(drawn);
            int slot = (int) (((drawn & 0xFFFF_FFFFL) * addresses.length) >>> Integer.SIZE);
            free(slot);
            allocate(slot, sizes.at(drawn));
        }
        random = drawn;
        return PASS;
    }

    @Override
    public void end() {
        for (int slot = 0; slot < addresses.length; slot++) {
            free(slot);
        }
    }

    private void allocate(int slot, int size) {
        long address = source.allocate(size);
        Marks.write(address, size, firstOwner + slot);
        addresses[slot] = address;
        bytes[slot] = size;
    }

    private void free(int slot) {
        Marks.check(addresses[slot], bytes[slot], firstOwner + slot);
        source.free(addresses[slot]);
    }
}
