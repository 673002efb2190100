package io.polder.arrow.pickup;

import io.polder.MemoryPool;
import io.polder.arrow.PolderAllocationManager;

import java.util.Objects;

/**
 * A program that first asks for the pool of Arrow's buffers near the end of a stack, in each frame
 * on the way back from there, and then prints its name.
 */
final class DeepProgram {
    private static final long STACK_BYTES = 1 << 20;

    private DeepProgram() {}

    public static void main(String[] args) throws InterruptedException {
        MemoryPool other = MemoryPool.builder().build();
        other.blocks().freeAddress(other.blocks().allocateAddress(64));
        Objects.requireNonNull(PolderAllocationManager.factory(other));
        Thread deep = new Thread(null, DeepProgram::down, "deep", STACK_BYTES);
        deep.start();
        deep.join();
        System.out.println("pool " + PolderAllocationManager.pool().name());
    }

    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private static void down() {
        try {
            down();
        } catch (StackOverflowError end) {
            // Back from here.
        }
        try {
            Objects.requireNonNull(PolderAllocationManager.pool());
        } catch (Throwable tooDeep) {
            // What counts is what comes afterwards.
        }
    }
}
