package io.polder.lab.experiments.evacuation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Copies of as many bytes as objects have, from memory that does not move: what is late among them
 * is the machine's doing. Used by one thread.
 */
final class PlainCopies implements Runnable {
    /** More than the caches have. */
    private static final int BYTES = 64 << 20;

    private final ValueSizes sizes;
    private final SplittableRandom random;
    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES).fill((byte) 1);
    private final MemorySegment buffer;

    PlainCopies(ValueSizes sizes, long seed) {
        this.sizes = sizes;
        this.random = new SplittableRandom(seed);
        this.buffer = Arena.ofAuto().allocate(sizes.max());
    }

    @Override
    public void run() {
        int size = sizes.next(random);
        MemorySegment.copy(memory, random.nextInt(BYTES - size), buffer, 0, size);
    }
}
