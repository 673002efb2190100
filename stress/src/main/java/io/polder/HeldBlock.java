package io.polder;

import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** A block that a program has, or is about to have. */
final class HeldBlock {
    private final BlockAllocator blocks;
    private final long seed;

    /** What is stored when it is allocated, with nothing called in between. 0 if it is not. */
    long address;

    private long painted;

    /** Stored in the same way: where it is since its size was changed as that of a segment. */
    private @Nullable MemorySegment resized;

    HeldBlock(BlockAllocator blocks, long seed) {
        this.blocks = blocks;
        this.seed = seed;
    }

    /** Writes to all that may be used of it. */
    void paint() {
        painted = blocks.usableSize(address);
        Paint.paint(Paint.at(address, painted), seed);
    }

    /** Checks that what was written is there. */
    void verify() {
        follow();
        if (address != 0) {
            Require.that(blocks.usableSize(address) >= painted, "a block stays as large");
            Paint.requirePainted(Paint.at(address, painted), seed);
        }
    }

    /** Changes its size; what stays of it is still painted. */
    void reallocate(long bytes) {
        address = blocks.reallocateAddress(address, bytes);
        painted = Math.min(painted, bytes & -8);
    }

    /** The same, as a segment. */
    void reallocateSegment(long bytes) {
        if (resized == null) {
            resized = blocks.reallocate(Paint.at(address, painted), bytes);
        }
        follow();
    }

    private void follow() {
        MemorySegment segment = resized;
        if (segment != null) {
            address = segment.address();
            painted = Math.min(painted, segment.byteSize() & -8);
            resized = null;
        }
    }

    /** Frees it, if it is allocated. */
    void free() {
        follow();
        if (address != 0) {
            blocks.freeAddress(address);
            address = 0;
        }
    }
}
