package io.polder;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads use a full heap, of which a third is dead, until standard input ends. */
final class StoppedProbe {
    private static final int THREADS = 3;
    private static final long HEAP_BYTES = 32 << 20;
    private static final long LIVE_BYTES = HEAP_BYTES * 7 / 10 / THREADS;

    /** An object that lives. */
    private record Live(long handle, int bytes) {}

    private static final AtomicInteger REFUSED = new AtomicInteger();
    private static final AtomicBoolean ENDS = new AtomicBoolean();

    private StoppedProbe() {}

    /** Prints {@code begun} after the first cycle, and at the end how many were refused. */
    public static void main(String[] args) throws IOException, InterruptedException {
        long seed = Long.parseLong(args[0]);
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(HEAP_BYTES).build();
                RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT.withMaxBytes(HEAP_BYTES))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                threads.add(Thread.ofPlatform().start(() -> use(heap, random)));
            }
            while (heap.stats().cycles() == 0) {
                Thread.sleep(1);
            }
            System.out.println("begun");
            while (System.in.read() >= 0) {
                // Not the end yet
            }
            ENDS.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("refused=" + REFUSED);
        }
    }

    private static void use(RelocatingHeap heap, SplittableRandom random) {
        List<Live> all = new ArrayList<>();
        long live = 0;
        while (!ENDS.get()) {
            int bytes = random.nextInt(1_000, 10_000);
            while (live + bytes > LIVE_BYTES) {
                Live dies = all.set(random.nextInt(all.size()), all.getLast());
                all.removeLast();
                live -= dies.bytes;
                heap.free(dies.handle);
            }
            try {
                all.add(new Live(heap.allocate(bytes), bytes));
                live += bytes;
            } catch (OutOfMemoryError refused) {
                System.out.println(refused.getMessage());
                REFUSED.incrementAndGet();
            }
        }
    }
}
