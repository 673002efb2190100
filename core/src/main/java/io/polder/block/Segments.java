package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.memory.MemoryExhaustedException;

import java.lang.foreign.MemorySegment;

/**
 * Blocks as segments: each is made before its block is allocated, so that nothing is called after
 * that.
 */
final class Segments {
    private final BlockSpace space;
    private final SlowPath slow;

    Segments(BlockSpace space, SlowPath slow) {
        this.space = space;
        this.slow = slow;
    }

    /**
     * Allocates a block as a segment; see {@link BlockSpace#allocateSegment}.
     *
     * @param zero whether it must read as zero
     */
    MemorySegment allocate(long bytes, long alignment, boolean zero) {
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return allocateLarge(bytes, zero);
        }
        int sizeClass = SizeClass.of(bytes, alignment);
        long id = Thread.currentThread().threadId();
        ThreadSpans own = space.owners().guess(id);
        if (own.isBiasedTo(id) && (!zero || BlockSpace.mayClearInside(sizeClass))) {
            long block = own.enter(id) ? own.peek(sizeClass) : 0;
            MemorySegment segment = null;
            if (block != 0) {
                segment = ADDRESS_SPACE.asSlice(block, bytes); // before it is allocated
                long _ = zero ? own.allocateZeroed(sizeClass, block) : own.allocate(sizeClass);
            }
            try {
                own.leave();
            } catch (Throwable inside) {
                // As above.
            }
            if (segment != null) {
                return segment;
            }
        }
        return allocateLocking(sizeClass, bytes, zero);
    }

    private MemorySegment allocateLocking(int sizeClass, long bytes, boolean zero) {
        int left = SlowPath.ATTEMPTS_MAX;
        while (true) {
            space.checkOpen();
            long ended = slow.closesEnded();
            ThreadSpans own = space.owners().of(Thread.currentThread());
            MemoryExhaustedException exhausted;
            synchronized (own) {
                try {
                    slow.makeFreeLocked(own, sizeClass);
                    long block = own.peek(sizeClass);
                    MemorySegment segment = ADDRESS_SPACE.asSlice(block, bytes);
                    long _ = zero ? own.allocateZeroed(sizeClass, block) : own.allocate(sizeClass);
                    return segment;
                } catch (MemoryExhaustedException refused) {
                    exhausted = refused;
                }
            }
            left = slow.makeRoom(left, ended, exhausted);
        }
    }

    private MemorySegment allocateLarge(long bytes, boolean zero) {
        LargeBlocks large = space.large();
        Span span = slow.takeLarge(bytes, zero);
        boolean handedOut = false;
        try {
            MemorySegment segment = ADDRESS_SPACE.asSlice(span.base, bytes);
            span.used = 1;
            handedOut = true;
            return segment;
        } finally {
            if (!handedOut) {
                span.empty = true;
                large.owes = true;
            }
        }
    }
}
