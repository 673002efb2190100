package io.polder.arena;

import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

/**
 * What an arena holds that is larger than a root chunk: each allocation in a page of its own.
 *
 * <pre>{@code
 *   page      | slack    | allocated               | rest of the last granule |
 *             address    start, aligned            start + bytes
 *             |<-------------- dirty ------------->|
 * }</pre>
 *
 * <p>A page reads as zero when it is taken, unless the caller will write to all of what is
 * allocated in it; nothing else of it is ever handed out. Who gives a page clears nothing: the
 * {@link PageSpace} knows what is dirty, and cleans it for who takes it next, or before.
 *
 * <p>Pages begin at multiples of a granule, so there is slack only for an alignment beyond that.
 * Invariant: {@code dirty <= page.bytes()}, and what is behind it was never handed out.
 *
 * <p><b>Errors.</b> A page that cannot be had changes nothing; one that was taken is held, by
 * stores, before anything else is called. Giving back removes each page once it is given.
 *
 * <p>Not thread-safe: belongs to the {@link ArenaChunks} of one arena.
 */
final class ArenaPages {
    private final ChunkSource source;
    private @Nullable ArenaPage last;

    /** A page, from the moment it is taken. */
    private static final class ArenaPage {
        private final @Nullable ArenaPage before;
        private @Nullable Extent page;
        private long dirtyBytes;

        private ArenaPage(@Nullable ArenaPage before) {
            this.before = before;
        }
    }

    /** No page yet. */
    ArenaPages(ChunkSource source) {
        this.source = source;
    }

    /**
     * Takes a page for a request.
     *
     * @param bytes the size, 1 or more
     * @param alignment a power of two
     * @param asIs whether it need not read as zero, since the caller will write to all of it
     * @return its address; 0 if the system refuses memory and the arena should use the JDK's
     * @throws OutOfMemoryError if a limit is in the way, or there is no such size
     */
    long allocate(long bytes, long alignment, boolean asIs) {
        ArenaPage taken = new ArenaPage(last);
        Extent page =
                source.takeLarge(bytes, Math.max(0, alignment - PageSpace.GRANULE_BYTES), !asIs);
        if (page == null) {
            return 0;
        }
        taken.page = page;
        last = taken;
        long start = ArenaChunks.alignUp(page.address(), alignment);
        taken.dirtyBytes = start - page.address() + bytes;
        return start;
    }

    /** The size of all pages. */
    long bytes() {
        long sum = 0;
        for (ArenaPage one = last; one != null; one = one.before) {
            sum += one.page == null ? 0 : one.page.bytes();
        }
        return sum;
    }

    /** Gives all pages back. */
    void give() {
        for (ArenaPage one = last; one != null; one = one.before) {
            if (one.page != null) {
                source.giveLarge(one.page, one.dirtyBytes);
            }
            last = one.before;
        }
    }
}
