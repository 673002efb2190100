package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.arena.Blocks;

/** Remote frees of the blocks of a span, in memory that an arbiter gives back. */
final class FreedList {
    /** More than there can be: the list is a ring, or its count is not that of its blocks. */
    private static final int TORN = 100;

    final Span span = Span.of(ThreadHeap.NOBODY);
    private final long memory = Blocks.take();

    /** All blocks are used. */
    FreedList() {
        span.used = Blocks.SLABS;
        span.base = memory;
        span.blockBytes = Blocks.SLAB_BYTES;
        span.carvedBytes = Blocks.SLABS * Blocks.SLAB_BYTES;
        span.reciprocal = Long.divideUnsigned(-1, Blocks.SLAB_BYTES) + 1;
    }

    /** The address of a block. */
    long block(int number) {
        return memory + number * Blocks.SLAB_BYTES;
    }

    /** Adds a block, and returns 1 if the span is to be announced. */
    int add(int number) {
        return span.addFreed(block(number)) ? 1 : 0;
    }

    /** Adds a block and the next one at once, and returns 1 if the span is to be announced. */
    int addBoth(int number) {
        long first = block(number);
        long last = block(number + 1);
        ADDRESS_SPACE.set(WORD, first, last);
        return span.addFreed(first, last, 2) ? 1 : 0;
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
