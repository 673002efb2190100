package io.polder;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks at the open pools and heaps near the end of a stack, compacts a heap, closes a pool, or
 * opens an arena that is tracked, from each of the last frames, and then whether the program can
 * still use what the JDK initialises only once.
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
        return switch (what) {
            case "compact" -> {
                RelocatingHeap heap = pool.openHeap();
                yield () -> {
                    heap.compact(); // alone: an allocation has the background use streams first
                    return 1;
                };
            }
            case "close" ->
                    () -> {
                        MemoryPool other = MemoryPool.builder().build();
                        long address = other.blocks().allocateAddress(8);
                        other.blocks().freeAddress(address);
                        other.close();
                        return 1;
                    };
            case "arena" -> arena(pool);
            case "trace" -> arena(MemoryPool.builder().leaks(LeakDetection.ALL).build());
            default -> () -> MemoryPool.openPools().size() + pool.memory.heaps.list().size();
        };
    }

    private static LongSupplier arena(MemoryPool pool) {
        return () -> {
            try (Arena confined = pool.openConfined();
                    Arena shared = pool.openShared()) {
                return confined.allocate(8).byteSize() + shared.allocate(8).byteSize();
            }
        };
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
