package io.polder;

import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;
import io.polder.heap.space.HeapCheck;
import io.polder.heap.space.HeapSpace;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A heap that a program has, with its objects and what is in them. */
final class HeldHeap {
    private static final long UNPAINTED = 0;

    /** How much of an object is written to, and looked at. */
    private static final long PAINTED_MAX = 512;

    private static long painted;

    private final RelocatingHeap heap;
    private final List<Item> items = new ArrayList<>();
    private boolean closing;

    /** An object; what is in it is unknown while its update was cut short. */
    private static final class Item {
        final long handle;
        long bytes;

        /** What it may have besides: while its resize was cut short. */
        long otherBytes;

        /** How much of it was written to. */
        long paintedBytes;

        long seed;
        boolean known = true;
        boolean freed;

        Item(long handle, long bytes) {
            this.handle = handle;
            this.bytes = bytes;
            this.otherBytes = bytes;
        }

        long front() {
            return Math.min(PAINTED_MAX, bytes);
        }
    }

    HeldHeap(RelocatingHeap heap) {
        this.heap = heap;
    }

    RelocatingHeap heap() {
        return heap;
    }

    /** The handle of an object. */
    long handle(int index) {
        return items.get(index).handle;
    }

    /** Allocates an object of zeros. */
    void allocate(long bytes) {
        items.add(new Item(heap.allocate(bytes), bytes));
    }

    /** Allocates objects, and paints them. */
    void fill(int count, long bytes) {
        for (int i = 0; i < count; i++) {
            allocate(bytes);
            put(items.size() - 1);
        }
    }

    /** Writes something else to the front of an object. */
    void put(int index) {
        Item item = items.get(index);
        MemorySegment content = MemorySegment.ofArray(new byte[(int) item.front()]);
        painted++;
        Paint.paint(content, painted);
        item.known = false;
        heap.put(item.handle, 0, content);
        item.seed = painted;
        item.paintedBytes = item.front();
        item.known = true;
    }

    /** Changes an object by a function. */
    void update(int index) {
        Item item = items.get(index);
        painted++;
        long seed = painted;
        item.known = false;
        heap.update(item.handle, bytes -> Paint.paint(bytes.asSlice(0, item.front()), seed));
        item.seed = seed;
        item.paintedBytes = item.front();
        item.known = true;
    }

    /** Gives an object another size. */
    void resize(int index, long bytes) {
        Item item = items.get(index);
        item.otherBytes = bytes;
        heap.resize(item.handle, bytes);
        item.bytes = bytes;
        item.paintedBytes = Math.min(item.paintedBytes, bytes);
    }

    /** Looks at an object by a function. */
    void read(int index) {
        require(items.get(index));
    }

    /** Frees an object; if that was tried before, it may be gone. */
    void free(int index) {
        Item item = items.get(index);
        boolean again = item.freed;
        item.freed = true;
        try {
            heap.free(item.handle);
        } catch (StaleHandleException gone) {
            if (!again) {
                throw gone;
            }
        }
    }

    /** Frees objects, but for each of so many. */
    void thin(int keep) {
        for (int i = 0; i < items.size(); i++) {
            if (i % keep != 0) {
                free(i);
            }
        }
    }

    /** How many objects there are, some of them freed. */
    int count() {
        return items.size();
    }

    /** Checks all invariants, and what is in each object. */
    void verify() {
        if (closing) {
            return;
        }
        HeapCheck.verify((HeapSpace) heap);
        for (Item item : items) {
            if (!item.freed && item.known) {
                require(item);
            }
        }
    }

    private void require(Item item) {
        Object _ =
                heap.read(
                        item.handle,
                        bytes -> {
                            require(item, bytes);
                            return item;
                        });
    }

    /** The front is painted, if anything is; what is at the end was never written. */
    private static void require(Item item, MemorySegment bytes) {
        long size = bytes.byteSize();
        Require.that(size == item.bytes || size == item.otherBytes, "it has one of its sizes");
        long front = Math.min(item.paintedBytes, size);
        if (item.seed != UNPAINTED) {
            Paint.requirePainted(bytes.asSlice(0, front), item.seed);
        }
        long rest = Math.min(PAINTED_MAX, size - front);
        Paint.requireZero(bytes.asSlice(front, rest));
        Paint.requireZero(bytes.asSlice(size - rest));
    }

    void close() {
        closing = true;
        heap.close();
    }
}
