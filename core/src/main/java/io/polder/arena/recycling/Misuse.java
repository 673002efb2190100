package io.polder.arena.recycling;

import java.lang.foreign.MemorySegment;

/** What is wrong with a segment that cannot be freed: found out by a look at all blocks. */
final class Misuse {
    private Misuse() {}

    /** A segment of another arena, of the heap, or of none. */
    static IllegalArgumentException foreign(MemorySegment segment) {
        return new IllegalArgumentException(
                "a segment must come from the arena that frees it: segment=" + segment);
    }

    /** A segment of this arena that is not one of the live blocks. */
    static IllegalArgumentException of(MemorySegment segment, BlockTable blocks) {
        long address = segment.address();
        for (int block = 1; block < blocks.next(); block++) {
            if (blocks.state(block) != BlockTable.SPARE
                    && address >= blocks.address(block)
                    && address < blocks.end(block)) {
                return blocks.state(block) == BlockTable.LIVE
                        ? notWhole(segment, blocks, block)
                        : freed(segment);
            }
        }
        return new IllegalArgumentException(
                "a segment must be allocated by the arena that frees it, and not freed before: "
                        + facts(segment));
    }

    private static IllegalArgumentException notWhole(
            MemorySegment segment, BlockTable blocks, int block) {
        return new IllegalArgumentException(
                "a segment must be freed as it was allocated: "
                        + facts(segment)
                        + ", allocatedAddress=0x"
                        + Long.toHexString(blocks.address(block))
                        + ", allocatedByteSize="
                        + blocks.size(block));
    }

    private static IllegalArgumentException freed(MemorySegment segment) {
        return new IllegalArgumentException("a segment must not be freed twice: " + facts(segment));
    }

    private static String facts(MemorySegment segment) {
        return "address=0x"
                + Long.toHexString(segment.address())
                + ", byteSize="
                + segment.byteSize();
    }
}
