package io.polder.stress.soak;

import io.polder.heap.RelocatingHeap;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects of a heap, and what is in them: as many as there are places, replaced one by one, so
 * that the heap fragments and is compacted.
 *
 * <p>Thread-safe; each object has a lock.
 */
final class HeapObjects {
    private static final int COUNT = 8_000;
    private static final int SMALL_MAX = 1 << 10;
    private static final int LARGE_MAX = 64 << 10;
    private static final int LARGE_ONE_IN = 200;

    /** Of an object that nobody has written to: it is zero. */
    private static final long UNPAINTED = 0;

    private final RelocatingHeap heap;
    private final Item[] items = new Item[COUNT];

    /** One object; none where the heap has refused it. */
    private static final class Item {
        final ReentrantLock lock = new ReentrantLock();
        boolean live;
        long handle;
        int bytes;
        long seed;

        void check(MemorySegment memory) {
            Require.equal("size", memory.byteSize(), bytes);
            if (seed == UNPAINTED) {
                Paint.requireZero(memory);
            } else {
                Paint.requirePainted(memory, seed);
            }
        }
    }

    HeapObjects(RelocatingHeap heap) {
        this.heap = heap;
        for (int i = 0; i < COUNT; i++) {
            items[i] = new Item();
        }
    }

    /** Makes sure that all objects are there, as far as the heap does not refuse them. */
    void fill(SplittableRandom random) {
        for (Item item : items) {
            try {
                allocate(item, random);
            } catch (OutOfMemoryError refused) {
                if (!Refusals.isOfPool(refused)) {
                    throw refused;
                }
            }
        }
    }

    /** Does something with an object: reads, writes or replaces it. */
    void use(SplittableRandom random) {
        Item item = items[random.nextInt(COUNT)];
        item.lock.lock();
        try {
            if (!item.live) {
                allocate(item, random);
                return;
            }
            switch (random.nextInt(8)) {
                case 0 -> put(item, random.nextLong());
                case 1 -> update(item, random.nextLong());
                case 2 -> replace(item, random);
                case 3 -> checkCopy(item);
                default -> check(item);
            }
        } finally {
            item.lock.unlock();
        }
    }

    /**
     * Checks every byte of every object, and that there are no others; only while nobody uses it.
     */
    void checkAll() {
        long count = 0;
        long bytes = 0;
        for (Item item : items) {
            if (item.live) {
                check(item);
                count++;
                bytes += item.bytes;
            }
        }
        long _ = heap.compact(); // ends a cycle that has begun: what it copies is counted twice
        Require.equal("objects", heap.stats().liveObjects(), count);
        Require.that(heap.stats().liveBytes() >= bytes, "what lives has its bytes");
    }

    private void allocate(Item item, SplittableRandom random) {
        int bytes = 1 + random.nextInt(random.nextInt(LARGE_ONE_IN) == 0 ? LARGE_MAX : SMALL_MAX);
        item.handle = heap.allocate(bytes);
        item.bytes = bytes;
        item.seed = UNPAINTED;
        item.live = true;
        check(item);
        put(item, random.nextLong());
    }

    private void put(Item item, long seed) {
        MemorySegment content = MemorySegment.ofArray(new byte[item.bytes]);
        Paint.paint(content, seed);
        heap.put(item.handle, 0, content);
        item.seed = seed;
    }

    private void update(Item item, long seed) {
        heap.update(
                item.handle,
                memory -> {
                    item.check(memory);
                    Paint.paint(memory, seed);
                });
        item.seed = seed;
    }

    private void replace(Item item, SplittableRandom random) {
        check(item);
        long stale = item.handle;
        heap.free(stale);
        item.live = false;
        Require.that(!heap.isLive(stale), "what is freed is not live");
        allocate(item, random);
    }

    private void check(Item item) {
        Object _ =
                heap.read(
                        item.handle,
                        memory -> {
                            item.check(memory);
                            return memory;
                        });
    }

    private void checkCopy(Item item) {
        item.check(MemorySegment.ofArray(heap.toArray(item.handle)));
    }
}
