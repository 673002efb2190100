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

    /**
     * Takes a page whose content is anything.
     *
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the pool is closed
     */
    Extent take(long bytes) {
        long rounded = (bytes + PageSpace.GRANULE_BYTES - 1) & -PageSpace.GRANULE_BYTES;
        reserve(rounded);
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

    private void reserve(long bytes) {
        long now = takenBytes.get();
        while (true) {
            if (bytes > maxBytes - now) {
                throw MemoryExhaustedException.overLimit("heap", maxBytes, now, bytes);
            }
            long witness = takenBytes.compareAndExchange(now, now + bytes);
            if (witness == now) {
                return;
            }
            now = witness;
        }
    }

    /** Whether so many bytes more are within the heap's own limit now. */
    boolean hasRoom(long bytes) {
        return bytes <= maxBytes - takenBytes.get();
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
        pages.expect(bytes, count);
    }

    long takenBytes() {
        return takenBytes.get();
    }

    long maxBytes() {
        return maxBytes;
    }
}
