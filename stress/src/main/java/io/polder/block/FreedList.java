package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.arena.Blocks;

/** Remote frees of the blocks of a span, in memory that an arbiter gives back. */
final class FreedList {
    /** More than there can be: the list is a ring, or its count is not that of its blocks. */
    private static final int TORN = 100;

    private final Span span = Span.of(ThreadHeap.NOBODY);
    private final long memory = Blocks.take();

    /** All blocks are used. */
    FreedList() {
        span.used = Blocks.SLABS;
    }

    /** Adds a block, and returns 1 if the span is to be announced. */
    int add(int number) {
        return span.addFreed(memory + number * Blocks.SLAB_BYTES) ? 1 : 0;
    }

    /** Takes all, and returns how many they are. */
    int takeAll() {
        int before = span.used;
        boolean _ = span.takeRemote();
        return taken(before);
    }

    /** Takes all that is announced, and returns how many they are. */
    int settle() {
        int before = span.used;
        span.settle(ThreadHeap.NOBODY, null);
        return taken(before);
    }

    private int taken(int before) {
        int count = 0;
        for (long block = span.head; block != 0 && count <= Blocks.SLABS; count++) {
            block = ADDRESS_SPACE.get(WORD, block);
        }
        span.head = 0;
        return before - span.used == count ? count : TORN;
    }

    /** Takes what is left, and gives the memory back. */
    int end() {
        int left = takeAll();
        Blocks.give(memory);
        return left;
    }
}
