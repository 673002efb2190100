package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Makes objects, inside the access gate.
 *
 * <pre>{@code
 *   room with a header --> content --> slot, header with it --> word: LIVE
 *   without a slot  |         |                                 published
 *                   +- thrown +---> dead: the region is whole in any case
 * }</pre>
 *
 * <p>Failure. The compare-and-set that publishes the word comes last: what is thrown before it
 * leaves an object that no word names, which is counted dead, or is found dead when its region is
 * evacuated; a slot that was found and not used is found when its leaf is passed the next time.
 *
 * <p>Thread-safe.
 */
final class NewObjects {
    private final int tag;
    private final HandleTable table;
    private final HandleAllocator handles;
    private final Allocator allocator;
    private final Compactor compactor;
    private final ObjectLookup lookup;

    /**
     * A maker of objects.
     *
     * @param tag what handles of this heap carry
     */
    NewObjects(
            int tag,
            HandleTable table,
            HandleAllocator handles,
            Allocator allocator,
            Compactor compactor,
            ObjectLookup lookup) {
        this.tag = tag;
        this.table = table;
        this.handles = handles;
        this.allocator = allocator;
        this.compactor = compactor;
        this.lookup = lookup;
    }

    /**
     * Makes an object.
     *
     * @param content what is in it; null for zeros
     * @return its handle
     * @throws io.polder.memory.MemoryExhaustedException if there is no room for it or its handle
     */
    long create(long bytes, @Nullable MemorySegment content) {
        long footprint = ObjectLayout.footprint(bytes);
        int stripe = allocator.stripe();
        long address = makeRoom(bytes, footprint, stripe);
        try {
            fill(address, footprint, content);
            return publish(address, stripe);
        } catch (Throwable thrown) {
            compactor.died(address);
            throw thrown;
        }
    }

    /** Room with a header that names no slot. */
    private long makeRoom(long bytes, long footprint, int stripe) {
        RegionType type = RegionType.of(footprint);
        return type == RegionType.LARGE
                ? allocator.allocateLarge(bytes)
                : allocator.allocate(
                        type, footprint, ObjectLayout.header(bytes, ObjectLayout.NO_INDEX), stripe);
    }

    /**
     * Makes another object of an object's bytes, as far as there are, and of zeros, and has it
     * named by the same handle. A copy that an evacuation makes meanwhile is not published, since
     * the word is another one then.
     *
     * @param bytes its size from now on
     * @throws io.polder.memory.MemoryExhaustedException if there is no room for it
     */
    void resize(long handle, long bytes) {
        long index = HandleLayout.index(handle);
        long footprint = ObjectLayout.footprint(bytes);
        long address = makeRoom(bytes, footprint, allocator.stripe());
        long before;
        try {
            ObjectLayout.setIndex(address, index);
            before = publishInPlaceOf(handle, index, address);
        } catch (Throwable thrown) {
            compactor.died(address);
            throw thrown;
        }
        compactor.died(before);
    }

    /** Returns where the object was. */
    private long publishInPlaceOf(long handle, long index, long address) {
        while (true) {
            long word = table.word(index);
            if (!HandleWordLayout.names(word, lookup.generation(handle))) {
                throw lookup.stale(handle, word);
            }
            long before = HandleWordLayout.address(word);
            ObjectLayout.copyResized(before, address);
            if (table.compareAndSet(index, word, HandleWordLayout.movedTo(word, address))) {
                return before;
            }
        }
    }

    private static void fill(long address, long footprint, @Nullable MemorySegment content) {
        if (content == null) {
            ObjectLayout.clear(address, footprint);
        } else {
            long to = ObjectLayout.content(address);
            MemorySegment.copy(content, 0, ADDRESS_SPACE, to, content.byteSize());
        }
    }

    /** Gives an object a handle. */
    private long publish(long address, int stripe) {
        while (true) {
            long index = handles.nextFree(stripe);
            ObjectLayout.setIndex(address, index);
            long free = table.word(index);
            int generation = HandleWordLayout.generation(free) + 1;
            long live = HandleWordLayout.of(generation, HandleWordLayout.LIVE, address);
            long handle = HandleLayout.of(tag, generation, index);
            if (HandleWordLayout.isReusable(free) && table.compareAndSet(index, free, live)) {
                return handle; // nothing is called once it is published
            }
        }
    }
}
