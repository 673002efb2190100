package io.polder.heap.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The pages of one heap, within its own limit and that of the pool.
 *
 * <p>Invariant: {@code 0 <= takenBytes <= maxBytes}.
 *
 * <p>Thread-safe.
 */
final class HeapPages {
    /** What is kept of a heap's own limit so that it can be compacted when it is full. */
    static final long HEADROOM_BYTES = PageSpace.GRANULE_BYTES;

    private final PageSpace pages;
    private final long maxBytes;
    private final AtomicLong takenBytes = new AtomicLong();

    /**
     * No pages yet.
     *
     * @param pages where they come from
     * @param maxBytes how much to take at most
     */
    HeapPages(PageSpace pages, long maxBytes) {
        this.pages = pages;
        this.maxBytes = maxBytes;
    }

    /** What their pool is called. */
    String poolName() {
        return pages.poolName();
    }

    /**
     * Takes a page whose content is anything; leaves {@link #HEADROOM_BYTES} of the heap's own
     * limit.
     *
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the pool is closed
     */
    Extent take(long bytes) {
        return take(bytes, maxBytes - HEADROOM_BYTES);
    }

    /** Takes a page to evacuate to, also if that uses up the limit. */
    Extent takeToEvacuate(long bytes) {
        return take(bytes, maxBytes);
    }

    private Extent take(long bytes, long limitBytes) {
        long rounded = (bytes + PageSpace.GRANULE_BYTES - 1) & -PageSpace.GRANULE_BYTES;
        reserve(rounded, limitBytes);
        boolean taken = false;
        try {
            Extent page = pages.take(rounded, false);
            taken = true;
            return page;
        } finally {
            if (!taken) {
                takenBytes.addAndGet(-rounded);
            }
        }
    }

    private void reserve(long bytes, long limitBytes) {
        long now = takenBytes.get();
        while (true) {
            if (bytes > limitBytes - now) {
                long kept = maxBytes - limitBytes; // counts as taken
                throw MemoryExhaustedException.overLimit("heap", maxBytes, now + kept, bytes);
            }
            long witness = takenBytes.compareAndExchange(now, now + bytes);
            if (witness == now) {
                return;
            }
            now = witness;
        }
    }

    /**
     * Gives a page back.
     *
     * @param dirtyBytes how much of it, from its front, was written
     */
    void give(Extent page, long dirtyBytes) {
        long bytes = page.bytes();
        pages.give(page, dirtyBytes);
        takenBytes.addAndGet(-bytes);
    }

    /** Announces that pages of this size will be taken soon. */
    void expect(long bytes, int count) {
        try {
            pages.expect(bytes, count);
        } catch (IllegalStateException closedPool) {
            return; // then there are none: the cycle finds that out
        }
    }

    long takenBytes() {
        return takenBytes.get();
    }

    long maxBytes() {
        return maxBytes;
    }
}
