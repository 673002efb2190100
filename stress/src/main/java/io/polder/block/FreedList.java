package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.arena.Blocks;

/** Remote frees of two blocks, in memory that an arbiter gives back. */
final class FreedList {
    private final RemoteFrees frees = new RemoteFrees();
    private final long memory = Blocks.take();

    /** Adds a block, and returns 1 if it was the first. */
    int add(int number) {
        return frees.add(memory + number * Blocks.SLAB_BYTES) ? 1 : 0;
    }

    /** Takes all, and returns how many they are; more than there can be, if they are a ring. */
    int takeAll() {
        int count = 0;
        long block = frees.takeAll();
        while (block != 0 && count <= Blocks.SLABS) {
            count++;
            block = ADDRESS_SPACE.get(WORD, block);
        }
        return count;
    }

    /** Takes what is left, and gives the memory back. */
    int end() {
        int left = takeAll();
        Blocks.give(memory);
        return left;
    }
}
