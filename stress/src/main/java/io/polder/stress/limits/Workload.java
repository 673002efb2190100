package io.polder.stress.limits;

import io.polder.MemoryPool;
import io.polder.PoolStatistics;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageCache;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Uses arenas of all kinds, pages that must be assembled and a heap that is compacted, checks every
 * byte, and tells what the library was able to do.
 */
final class Workload {
    private static final long MIB = 1L << 20;
    private static final long[] SIZES = {5, 100, 2_000, 20_000, 300_000, 5_000_000};
    private static final int THREADS = 16;
    private static final int PAGES = 64;
    private static final int OBJECTS = 20_000;

    /** What is taken of a pool that has more than the system, until there is no more. */
    private static final int MOST_ARENAS = 8_000;

    private final Map<String, String> facts = new HashMap<>();

    /** Runs it all; returns facts as {@code name=value}, in no order. */
    static List<String> run(boolean fillsUp) throws InterruptedException {
        Workload workload = new Workload();
        try (MemoryPool pool =
                MemoryPool.builder()
                        .name("limits")
                        .committedMaxBytes(160 * MIB)
                        .decay(Duration.ofMillis(50))
                        .build()) {
            workload.arenas(pool);
            workload.threads(pool);
            workload.pages(pool.pages(), pool);
            workload.heap(pool);
            workload.told(pool);
        }
        if (fillsUp) {
            workload.fillUp();
        }
        return workload.facts.entrySet().stream()
                .map(fact -> fact.getKey() + "=" + fact.getValue())
                .toList();
    }

    private void arenas(MemoryPool pool) {
        List<Supplier<Arena>> kinds =
                List.of(pool::openConfined, pool::openShared, pool::openSharedDeferred);
        for (int round = 0; round < 5; round++) {
            for (Supplier<Arena> kind : kinds) {
                try (Arena arena = kind.get()) {
                    for (long size : SIZES) {
                        use(arena.allocate(size), (byte) (round + 1));
                    }
                }
            }
        }
    }

    private static void use(MemorySegment memory, byte ink) {
        check(memory, (byte) 0);
        memory.fill(ink);
        check(memory, ink);
    }

    private static void check(MemorySegment memory, byte ink) {
        for (long at = 0; at < memory.byteSize(); at++) {
            if (memory.get(ValueLayout.JAVA_BYTE, at) != ink) {
                throw new AssertionError("must read as " + ink + ": " + memory + ", offset=" + at);
            }
        }
    }

    private void threads(MemoryPool pool) throws InterruptedException {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
            Runnable work =
                    () -> {
                        for (int round = 0; round < 50; round++) {
                            try (Arena arena = pool.openConfined()) {
                                use(arena.allocate(2_000), (byte) 3);
                                use(arena.allocate(30_000), (byte) 4);
                            } catch (Throwable failure) {
                                thrown.add(failure);
                            }
                        }
                    };
            all.add(builder.start(work));
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (!thrown.isEmpty()) {
            throw new AssertionError("in a thread", thrown.getFirst());
        }
    }

    /** Every second page is given, and then longer ones are taken than there are runs. */
    private void pages(PageCache pages, MemoryPool pool) {
        Map<Page, Byte> painted = new HashMap<>();
        List<Page> taken = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            taken.add(take(pages, 2 * MIB, (byte) (i + 1), painted));
        }
        for (int i = 0; i < PAGES; i += 2) {
            painted.remove(taken.get(i));
            taken.get(i).close();
        }
        facts.put("large", String.valueOf(takeLarge(pages, painted)));
        painted.forEach(
                (page, ink) -> {
                    try (Arena arena = Arena.ofConfined()) {
                        check(page.segment(arena), ink);
                    }
                    page.close();
                });
        var stats = pool.stats().pages();
        facts.put(
                "assembled",
                String.valueOf(stats.assembledOnAllocation() + stats.assembledInBackground() > 0));
    }

    /** Whether there are longer pages, though no run is as long. */
    private static boolean takeLarge(PageCache pages, Map<Page, Byte> painted) {
        for (int i = 0; i < 4; i++) {
            try {
                Page large = take(pages, 14 * MIB, (byte) (100 + i), painted);
                if (large.bytes() < 14 * MIB) {
                    throw new AssertionError("too small: " + large);
                }
            } catch (OutOfMemoryError refused) {
                return false;
            }
        }
        return true;
    }

    private static Page take(PageCache pages, long bytes, byte ink, Map<Page, Byte> painted) {
        Page page = pages.allocate(bytes);
        try (Arena arena = Arena.ofConfined()) {
            page.segment(arena).fill(ink);
        }
        painted.put(page, ink);
        return page;
    }

    /** Three of four objects are freed, and the others moved together. */
    private void heap(MemoryPool pool) {
        try (RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT.withMaxBytes(64 * MIB))) {
            List<Long> handles = new ArrayList<>();
            for (int i = 0; i < OBJECTS; i++) {
                byte ink = (byte) i;
                long handle = heap.allocate(100 + i % 900);
                heap.update(handle, object -> object.fill(ink));
                handles.add(handle);
            }
            for (int i = 0; i < OBJECTS; i++) {
                if (i % 4 != 0) {
                    heap.free(handles.get(i));
                }
            }
            heap.compact();
            for (int i = 0; i < OBJECTS; i += 4) {
                byte ink = (byte) i;
                boolean _ =
                        heap.read(
                                handles.get(i),
                                object -> {
                                    check(object, ink);
                                    return true;
                                });
            }
            facts.put("evacuated", String.valueOf(heap.stats().evacuatedBytes() > 0));
        }
    }

    private void told(MemoryPool pool) {
        long _ = pool.trim();
        PoolStatistics stats = pool.stats();
        facts.put("provider", stats.provider());
        facts.put("pooled", String.valueOf(stats.arenas().pooled()));
        facts.put("givesBack", String.valueOf(stats.givesBack()));
        facts.put("returned", String.valueOf(stats.committedBytes() - stats.usedBytes() < 4 * MIB));
        facts.put("refused", String.valueOf(stats.refusals() > 0));
    }

    /** The limit of the pool is beyond the system's: the error can be caught, and is passing. */
    private void fillUp() {
        try (MemoryPool pool =
                MemoryPool.builder().name("wish").committedMaxBytes(1L << 40).build()) {
            List<Arena> open = new ArrayList<>(MOST_ARENAS);
            boolean exhausted = false;
            try {
                for (int i = 0; i < MOST_ARENAS; i++) {
                    Arena arena = pool.openConfined();
                    open.add(arena);
                    MemorySegment memory = arena.allocate(MIB);
                    memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                }
            } catch (OutOfMemoryError expected) {
                exhausted = true;
            }
            open.forEach(Arena::close);
            open.clear();
            facts.put("exhausted", String.valueOf(exhausted));
            arenas(pool);
            facts.put("again", "true");
        }
    }
}
