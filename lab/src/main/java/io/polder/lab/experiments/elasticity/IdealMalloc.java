package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Malloc;

import java.util.Arrays;

/**
 * Malloc alone, idealised: each block its own, without anything in front of it. Its address is kept
 * in an array on the Java heap, which is touched before the first sample: nobody's program is that
 * lucky, and whatever is better than this is better than malloc.
 */
final class IdealMalloc implements OwnedMemory {
    private final long[] addresses;
    private final int[] first;
    private final int[] next;

    /**
     * Creates a contender.
     *
     * @param slots where the addresses of each owner stand
     */
    IdealMalloc(BlockSlots slots) {
        this.addresses = new long[slots.count()];
        this.first = slots.first();
        this.next = first.clone();
        // A page of zeroes that was never written is no memory yet, on a heap that was not touched.
        Arrays.fill(addresses, -1);
    }

    @Override
    public void open(int owner) {
        next[owner] = first[owner];
    }

    @Override
    public long allocate(int owner, long bytes) {
        long address = Malloc.malloc(bytes);
        addresses[next[owner]++] = address;
        return address;
    }

    @Override
    public void close(int owner) {
        for (int slot = first[owner]; slot < next[owner]; slot++) {
            Malloc.free(addresses[slot]);
        }
        next[owner] = first[owner];
    }
}
