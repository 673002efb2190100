package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Makes objects, inside the access gate.
 *
 * <pre>{@code
 *   slot --> room with a header --> content --> header with the slot --> word: LIVE
 *            without a slot  |         |             |                   published
 *                            +- thrown +-------------+---> dead: the region is whole in any case
 * }</pre>
 *
 * <p>A slot is looked for first, because an object without one is dead. Only where another thread
 * gets the slot as well, since its leaf is passed a second time, is one looked for behind it.
 *
 * <p>Failure. The compare-and-set that publishes the word comes last: what is thrown before it
 * leaves an object that no word names, which is counted dead, or is found dead when its region is
 * evacuated; a slot that was found and not used is the next one again, or is found when its leaf is
 * passed the next time.
 *
 * <p>Thread-safe.
 */
record NewObjects(
        HandleAllocator handles, Allocator allocator, Compactor compactor, ObjectLookup lookup) {

    /**
     * Makes an object.
     *
     * @param content what is in it; null for zeros
     * @param anywhere whether in any region, since no other can be opened
     * @param page of a large object, as {@link #takePage} has taken it, and {@link
     *     Allocator#fillLarge} has filled it; 0 if there is none
     * @return its handle; 0 if a region or leaf is missing, which {@link #open} opens
     */
    long create(long bytes, @Nullable MemorySegment content, boolean anywhere, long page) {
        long footprint = ObjectLayout.footprint(bytes);
        int stripe = allocator.stripe();
        long index = handles.nextFree(stripe);
        if (index == HandleAllocator.NONE) {
            return 0;
        }
        long address = makeRoom(bytes, footprint, stripe, anywhere, page);
        if (address == 0) {
            handles.putBack(stripe, index);
            return 0;
        }
        long handle;
        try {
            if (page == 0) { // else it was filled before
                fill(address, footprint, content);
            }
            handle = publish(address, index, stripe);
        } catch (Throwable thrown) {
            compactor.died(address);
            handles.putBack(stripe, index);
            throw thrown;
        }
        if (handle == 0) {
            compactor.died(address);
        }
        return handle;
    }

    /**
     * Opens what an object may need of a region and a leaf, which others may take: outside of the
     * access gate, so that compaction waits for nobody who waits for a lock meanwhile.
     *
     * @param withHandle whether the object needs a handle
     * @return null; or why there is no region
     * @throws MemoryExhaustedException if there is no leaf
     */
    @Nullable MemoryExhaustedException open(long bytes, boolean withHandle) {
        long footprint = ObjectLayout.footprint(bytes);
        RegionType type = RegionType.of(footprint);
        int stripe = allocator.stripe();
        // A region first: a leaf may be one that needs no memory
        MemoryExhaustedException full =
                type == RegionType.LARGE ? null : allocator.open(type, footprint, stripe);
        if (withHandle) {
            handles.open(stripe);
        }
        return full;
    }

    /**
     * Takes the page of a large object, outside as well.
     *
     * @return null if the object is not large
     * @throws MemoryExhaustedException if there is no memory for one
     */
    @Nullable Region takePage(long bytes) {
        boolean isLarge = RegionType.of(ObjectLayout.footprint(bytes)) == RegionType.LARGE;
        return isLarge ? allocator.takeLarge(bytes) : null;
    }

    /** Room with a header that names no slot; 0 if a region is missing. */
    private long makeRoom(long bytes, long footprint, int stripe, boolean anywhere, long page) {
        RegionType type = RegionType.of(footprint);
        if (type == RegionType.LARGE) {
            return page == 0 ? 0 : allocator.allocateLarge(page, bytes);
        }
        long header = ObjectLayout.header(bytes, ObjectLayout.NO_INDEX);
        return allocator.allocate(type, footprint, header, stripe, anywhere);
    }

    /**
     * Makes another object of an object's bytes, as far as there are, and of zeros, and has it
     * named by the same handle. A copy that an evacuation makes meanwhile is not published, since
     * the word is another one then.
     *
     * @param bytes its size from now on
     * @param anywhere as above, and so is the page, but for what is in it
     * @return the handle; 0 if a region is missing
     */
    long resize(long handle, long bytes, boolean anywhere, long page) {
        long index = HandleLayout.index(handle);
        long footprint = ObjectLayout.footprint(bytes);
        long address = makeRoom(bytes, footprint, allocator.stripe(), anywhere, page);
        if (address == 0) {
            return 0;
        }
        long before;
        try {
            ObjectLayout.setIndex(address, index);
            before = publishInPlaceOf(handle, index, address);
        } catch (Throwable thrown) {
            compactor.died(address);
            throw thrown;
        }
        compactor.died(before);
        return handle;
    }

    /** Returns where the object was. */
    private long publishInPlaceOf(long handle, long index, long address) {
        while (true) {
            long word = lookup.table().word(index);
            if (!HandleWordLayout.names(word, lookup.generation(handle))) {
                throw lookup.stale(handle, word);
            }
            long before = HandleWordLayout.address(word);
            ObjectLayout.copyResized(before, address);
            long moved = HandleWordLayout.movedTo(word, address);
            if (lookup.table().compareAndSet(index, word, moved)) {
                return before;
            }
        }
    }

    static void fill(long address, long footprint, @Nullable MemorySegment content) {
        if (content == null) {
            ObjectLayout.clear(address, footprint);
        } else {
            long to = ObjectLayout.content(address);
            MemorySegment.copy(content, 0, ADDRESS_SPACE, to, content.byteSize());
        }
    }

    /**
     * Gives an object a handle.
     *
     * @param found a slot that was free
     * @return 0 if others have it, and a leaf is missing
     */
    private long publish(long address, long found, int stripe) {
        long index = found;
        while (index != HandleAllocator.NONE) {
            ObjectLayout.setIndex(address, index);
            long free = lookup.table().word(index);
            int generation = HandleWordLayout.generation(free) + 1;
            long live = HandleWordLayout.of(generation, HandleWordLayout.LIVE, address);
            long handle = lookup.handle(index, live);
            if (HandleWordLayout.isReusable(free)
                    && lookup.table().compareAndSet(index, free, live)) {
                return handle; // nothing is called once it is published
            }
            index = handles.nextFree(stripe);
        }
        return 0;
    }
}
