package io.polder;

import java.util.List;

/**
 * Looks at the open pools and heaps near the end of a stack, from each of its last frames, and then
 * whether the program can still use what the JDK initialises only once.
 */
final class DeepListProbe {
    private static final long STACK_BYTES = 256 << 10;
    private static final int FRAMES = 400;

    private final PoolMemory memory;
    private int done;

    private DeepListProbe(PoolMemory memory) {
        this.memory = memory;
    }

    public static void main(String[] args) throws InterruptedException {
        DeepListProbe probe = new DeepListProbe(MemoryPool.builder().build().memory);
        Thread deep = new Thread(null, probe::down, "deep", STACK_BYTES);
        deep.start();
        deep.join();
        System.out.println("done: " + (probe.done > 0));
        System.out.println("streams: " + List.of(1, 2).stream().filter(each -> each > 1).toList());
    }

    /** Returns how many frames there were to the end of the stack. */
    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private int down() {
        int left;
        try {
            left = down();
        } catch (StackOverflowError end) {
            left = 0;
        }
        if (left < FRAMES) {
            look();
        }
        return left + 1;
    }

    private void look() {
        try {
            done += MemoryPool.openPools().size() + memory.heaps.list().size();
        } catch (StackOverflowError end) {
            // Somewhere on the way.
        }
    }
}
