package io.polder.arena;

import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.util.ArrayList;
import java.util.List;

/**
 * What an arena holds that is larger than a root chunk: each allocation in a page of its own.
 *
 * <pre>{@code
 *   page      | slack    | allocated               | rest of the last granule |
 *             address    start, aligned            start + bytes
 *             |<-------------- dirty ------------->|
 * }</pre>
 *
 * <p>Pages begin at multiples of a granule, so there is slack only for an alignment beyond that.
 * Invariant: {@code dirty <= page.bytes()}, and what is behind it was never handed out.
 *
 * <p>Failure: a page that cannot be had changes nothing.
 *
 * <p>Not thread-safe: belongs to the {@link ArenaChunks} of one arena.
 */
final class ArenaPages {
    private final ChunkSource source;
    private final List<Held> held = new ArrayList<>(1);

    /** A page, and how much of it may not be zero, from its front. */
    private record Held(Extent page, long dirtyBytes) {}

    /** No page yet. */
    ArenaPages(ChunkSource source) {
        this.source = source;
    }

    /**
     * Takes a page for a request.
     *
     * @param bytes the size, 1 or more
     * @param alignment a power of two
     * @return its address; 0 if the system refuses memory and the arena should use the JDK's
     * @throws OutOfMemoryError if a limit is in the way, or there is no such size
     */
    long allocate(long bytes, long alignment) {
        Extent page = source.takeLarge(bytes, Math.max(0, alignment - PageSpace.GRANULE_BYTES));
        if (page == null) {
            return 0;
        }
        long start = ArenaChunks.alignUp(page.address(), alignment);
        held.add(new Held(page, start - page.address() + bytes));
        return start;
    }

    /** The size of all pages. */
    long bytes() {
        long sum = 0;
        for (Held each : held) {
            sum += each.page().bytes();
        }
        return sum;
    }

    /** Gives all pages back. */
    void give() {
        for (Held each : held) {
            source.giveLarge(each.page(), each.dirtyBytes());
        }
    }
}
