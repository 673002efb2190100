package io.polder.page;

import io.polder.page.space.PageSpace;

import java.time.Duration;

/**
 * Large native memory of a pool, in pages: for buffers of megabytes, and for anyone who builds an
 * allocator of its own.
 *
 * <p>A <em>page</em> is contiguous and has a whole number of <em>granules</em> of 2 MiB. Splitting
 * free memory costs nothing, and what is given back is coalesced with its free neighbours at once.
 * Where free memory is in pieces, a contiguous run is <em>assembled</em> by moving page tables:
 * nothing is copied. The background keeps runs ready for the sizes that were asked for lately or
 * are {@linkplain #prefetch announced}, so that {@link #allocate(long) allocate} rarely has to.
 *
 * {@snippet class="PoolSnippets" region="page"}
 *
 * <p>A page reads as zero when it is allocated. Free memory stays committed for the decay of the
 * pool and is given back to the operating system then, little by little, unless it is needed.
 *
 * <p>The limits of the pool hold for its pages and its arenas together. Before a page is refused,
 * deferred arenas that wait for it are closed for good, by the thread that wants the page: it runs
 * their cleanup actions then. Where memory can be neither moved nor uncommitted (other systems than
 * Linux), each page is allocated by itself.
 *
 * <p>Whatever is thrown, also an error of the JVM: an allocation that throws has taken nothing. A
 * view ends with its arena. Should an error in the middle of the close of an arena or a page keep
 * that from being told, the memory comes back when the pool is trimmed or closed, if the arena was
 * confined, and is kept for ever otherwise.
 *
 * <p>Thread-safe. The pool has it: {@code MemoryPool.pages()}; its statistics have what pages
 * are taken and free.
 */
public sealed interface PageCache permits PageSpace {
    /** The size of a granule, 2 MiB: the size of each page is a multiple of it. */
    long GRANULE_BYTES = 2L << 20;

    /**
     * Allocates a page. Does not wait for memory, and so may pass threads that wait in the queue.
     *
     * @param bytes from 1 up; rounded up to whole granules
     * @return a page that reads as zero
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space
     * @throws OutOfMemoryError if a limit of the pool is in the way, or the operating system; says
     *     which. The same holds if the machine has less, where {@code malloc} is refused as well
     * @throws IllegalStateException if the pool is closed
     */
    Page allocate(long bytes);

    /**
     * Allocates the largest page between two sizes that is to be had at once: whole, or halved as
     * often as needed. For owners who can do with less. Free memory that is committed goes before
     * what the limit still has room for: if it has a page of the least size or more, the largest
     * of these is returned, although a larger one might be granted.
     *
     * @param leastBytes the least size, a power of two, 2 MiB or more
     * @param mostBytes the greatest size, a power of two, not less
     * @return a page that reads as zero
     * @throws IllegalArgumentException if the sizes are not as said
     * @throws OutOfMemoryError if not even the least size can be had; says why
     * @throws IllegalStateException if the pool is closed
     */
    Page allocate(long leastBytes, long mostBytes);

    /**
     * Allocates a page, and waits for memory if there is not enough. First come, first served; but
     * a thread that has waited for a quarter of a second may pass others that all need more, so one
     * that needs much may be passed until its time is over. Heaps are compacted and shrinkers asked
     * by other threads meanwhile: a few milliseconds may be too short for what {@link
     * #allocate(long)} waits for.
     *
     * @param bytes from 1 up; rounded up to whole granules
     * @param timeout how long to wait at most, zero or more
     * @return a page that reads as zero
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space, or the timeout negative
     * @throws OutOfMemoryError if the time is over; names the limit, or what the operating system
     *     refused. At once if the page is larger than a limit, or than the machine has memory
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the pool is closed, before or while the thread waits
     */
    Page allocate(long bytes, Duration timeout) throws InterruptedException;

    /**
     * Announces that pages will be needed soon. The background assembles contiguous runs for them
     * of free memory that is committed and in pieces, and keeps them ready; it neither reserves nor
     * commits any. So while the pool has no such memory, as when it is new, this does nothing yet:
     * it still holds for what is given back within a second or so.
     *
     * @param bytes the size of each; rounded up to whole granules
     * @param count how many; 0 does nothing
     * @throws IllegalArgumentException if {@code bytes} is not positive, or beyond the address
     *     space, or {@code count} negative
     * @throws IllegalStateException if the pool is closed
     */
    void prefetch(long bytes, int count);
}
