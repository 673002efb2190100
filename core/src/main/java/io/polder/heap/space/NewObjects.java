package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Makes objects, inside the access gate.
 *
 * <pre>{@code
 *   room --> header without a slot --> content --> slot, header with it --> word: LIVE
 *                    |                    |                                   published
 *                    +--- thrown ---------+---> dead: the region is whole in any case
 * }</pre>
 *
 * <p>Nothing is thrown between room and header: {@link ObjectLayout#probeStack}.
 *
 * <p>Thread-safe.
 */
final class NewObjects {
    private final int tag;
    private final HandleTable table;
    private final HandleClaims claims;
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
            HandleClaims claims,
            Allocator allocator,
            DeadObjects dead) {
        this.tag = tag;
        this.table = table;
        this.claims = claims;
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
        Kind kind = Kind.of(footprint);
        boolean large = kind == Kind.LARGE;
        int stripe = allocator.stripe();
        long _ = ObjectLayout.probeStack();
        long address =
                large
                        ? allocator.allocateLarge(footprint)
                        : allocator.allocate(kind, footprint, stripe);
        writeHeader(address, bytes, ObjectLayout.NO_INDEX, large);
        boolean published = false;
        try {
            fill(address, footprint, content);
            long handle = publish(address, bytes, stripe, large);
            published = true;
            return handle;
        } finally {
            if (!published) {
                dead.add(address);
            }
        }
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
            long index = claims.claim(stripe);
            writeHeader(address, bytes, index, large);
            long free = table.word(index);
            int generation = HandleWordLayout.generation(free) + 1;
            if (HandleWordLayout.isReusable(free)
                    && table.compareAndSet(
                            index,
                            free,
                            HandleWordLayout.of(generation, HandleWordLayout.LIVE, address))) {
                return HandleLayout.of(tag, generation, index);
            }
        }
    }
}
