package io.polder;

import io.polder.heap.RelocatingHeap;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks at the open pools and heaps near the end of a stack, or compacts a heap, from each of the
 * last frames, and then whether the program can still use what the JDK initialises only once.
 */
final class DeepListProbe {
    private static final long STACK_BYTES = 256 << 10;
    private static final int FRAMES = 400;

    private final LongSupplier look;
    private int done;

    private DeepListProbe(LongSupplier look) {
        this.look = look;
    }

    public static void main(String[] args) throws InterruptedException {
        DeepListProbe probe = new DeepListProbe(look(args[0], MemoryPool.builder().build()));
        Thread deep = new Thread(null, probe::down, "deep", STACK_BYTES);
        deep.start();
        deep.join();
        probe.look(); // works, whatever became of the others
        System.out.println("done: " + (probe.done > 0));
        System.out.println("streams: " + List.of(1, 2).stream().filter(each -> each > 1).toList());
    }

    private static LongSupplier look(String what, MemoryPool pool) {
        if (what.equals("heap")) {
            RelocatingHeap heap = pool.openHeap();
            return () -> {
                heap.compact(); // alone: an allocation has the background use streams first
                return 1;
            };
        }
        return () -> MemoryPool.openPools().size() + pool.memory.heaps.list().size();
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
            done += look.getAsLong() > 0 ? 1 : 0;
        } catch (StackOverflowError | OutOfMemoryError end) {
            // Somewhere on the way.
        }
    }
}
