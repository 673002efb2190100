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
    private final DeadObjects dead;

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
            DeadObjects dead) {
        this.tag = tag;
        this.table = table;
        this.handles = handles;
        this.allocator = allocator;
        this.dead = dead;
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
        RegionType type = RegionType.of(footprint);
        boolean large = type == RegionType.LARGE;
        int stripe = allocator.stripe();
        long header = large ? 0 : ObjectLayout.header(bytes, ObjectLayout.NO_INDEX);
        long address =
                large
                        ? allocator.allocateLarge(bytes)
                        : allocator.allocate(type, footprint, header, stripe);
        try {
            fill(address, footprint, content);
            return publish(address, bytes, stripe, large);
        } catch (Throwable thrown) {
            dead.add(address);
            throw thrown;
        }
    }

    /** How much room is to be made for an object where there is none. */
    long wantedBytes(long bytes) {
        return allocator.wantedBytes(bytes);
    }

    private static void writeHeader(long address, long bytes, long index, boolean large) {
        if (large) {
            ObjectLayout.writeLongHeader(address, bytes, index);
        } else {
            ObjectLayout.writeHeader(address, bytes, index);
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
    private long publish(long address, long bytes, int stripe, boolean large) {
        while (true) {
            long index = handles.nextFree(stripe);
            writeHeader(address, bytes, index, large);
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
