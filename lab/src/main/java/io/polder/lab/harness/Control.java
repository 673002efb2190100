package io.polder.lab.harness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Something that costs about as much as taking a page, and waits for nobody: reads of lines that
 * are in no cache. What it takes longer than usual is the machine: interrupts, other threads on the
 * processor, other virtual machines.
 *
 * <p>Not thread-safe.
 */
public final class Control {
    /** More than the caches have. */
    private static final long BYTES = 64L << 20;

    /** About as many lines as a take touches. */
    private static final int READS = 32;

    private static final long STRIDE = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, STRIDE).fill((byte) 1);
    private final SplittableRandom random = new SplittableRandom(1);

    /** Reads, and returns how long it took; what was read is in it, so that it is not left out. */
    public long nanos() {
        long start = System.nanoTime();
        long sum = 0;
        for (int i = 0; i < READS; i++) {
            long line = random.nextLong(BYTES / STRIDE);
            sum += memory.get(ValueLayout.JAVA_BYTE, line * STRIDE);
        }
        long nanos = System.nanoTime() - start;
        if (sum != READS) {
            throw new AssertionError("each byte is 1: sum=" + sum);
        }
        return nanos;
    }
}
