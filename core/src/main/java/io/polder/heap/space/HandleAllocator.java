package io.polder.heap.space;

import io.polder.event.EventHold;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Free slots of the handle table for new objects: each stripe of threads goes through a leaf of its
 * own.
 *
 * <pre>{@code
 *   cursor of a stripe:   leaf (32 bits) | next slot (32 bits)      one cache line or more apart
 * }</pre>
 *
 * <p>A cursor goes past what is occupied in one step, and gives each slot to one thread only.
 * Another pass of the leaf may have given it to another thread: the compare-and-set that publishes
 * the object decides.
 *
 * <p>What is frozen, since its leaf moves, counts as occupied: it is found with the next pass.
 *
 * <p>Thread-safe.
 */
final class HandleAllocator {
    /** Two cache lines. */
    private static final int STRIDE = 16;

    /** No index. */
    static final long NONE = -1;

    private static final long SLOT_MASK = 0xFFFF_FFFFL;

    private final HandleTable table;
    private final HandleLeaves leaves;
    private final AtomicLongArray cursors;

    /**
     * No leaf yet.
     *
     * @param stripes how many
     */
    HandleAllocator(HandleTable table, HandleLeaves leaves, int stripes) {
        this.table = table;
        this.leaves = leaves;
        this.cursors = new AtomicLongArray((stripes + 1) * STRIDE);
        for (int stripe = 0; stripe < stripes; stripe++) {
            cursors.set(cursor(stripe), HandleTable.LEAF_SLOTS);
        }
    }

    /** Where a stripe has its cursor: apart from the array's length, which all read. */
    private static int cursor(int stripe) {
        return (stripe + 1) * STRIDE;
    }

    /**
     * Has a leaf with free slots for a stripe, which others may take.
     *
     * @throws io.polder.memory.MemoryExhaustedException if the table cannot grow
     */
    void open(int stripe) {
        int at = cursor(stripe);
        try (EventHold _ = EventHold.begin()) {
            synchronized (cursors) {
                long cursor = cursors.get(at);
                if (!leaves.hasFree(first(cursor) + (cursor & SLOT_MASK), end(cursor))) {
                    cursors.set(at, (long) leaves.nextLeaf() << Integer.SIZE);
                }
            }
        }
    }

    /**
     * Finds the next slot that is free; other threads may find it, too.
     *
     * @return its index; {@link #NONE} if the leaf has none, and another one is to be opened
     */
    long nextFree(int stripe) {
        int at = cursor(stripe);
        while (true) {
            long cursor = cursors.get(at);
            long slot = cursor & SLOT_MASK;
            if (slot >= HandleTable.LEAF_SLOTS) {
                return NONE;
            }
            long first = first(cursor);
            long end = end(cursor);
            long index = table.firstFree(first + slot, end);
            long next = cursor + Math.min(index + 1, end) - (first + slot);
            if (cursors.compareAndSet(at, cursor, next) && index < end) {
                return index;
            }
        }
    }

    /** A slot that was found and not used is the next one again, if no other was found since. */
    void putBack(int stripe, long index) {
        long slot = index & (HandleTable.LEAF_SLOTS - 1);
        long cursor = (index >>> HandleTable.SLOT_BITS << Integer.SIZE) + slot;
        boolean _ = cursors.compareAndSet(cursor(stripe), cursor + 1, cursor);
    }

    /** The first slot of the leaf in which a cursor is. */
    private static long first(long cursor) {
        return cursor >>> Integer.SIZE << HandleTable.SLOT_BITS;
    }

    private static long end(long cursor) {
        return first(cursor) + HandleTable.LEAF_SLOTS;
    }
}
