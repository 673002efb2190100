package io.polder.page;

import io.polder.page.space.UserPage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Contiguous native memory that was allocated from a {@link PageCache}.
 *
 * <pre>{@code
 *   open --segment--> open, n views --close of their arenas--> open
 *     | close              | close
 *     v                    v
 *   closed             kept, n views --close of their arenas--> closed
 * }</pre>
 *
 * <p>It is used through views, each bound to an arena of the caller: the JDK checks their bounds,
 * and lifetime and thread as that arena says. The memory goes back to the cache when the page was
 * {@linkplain #close closed} and no view is alive, never before. A view in the global arena lives
 * for ever, and keeps the memory for as long. One in a confined arena that was never closed keeps
 * it until the thread has ended, and somebody looks: at the latest when the pool is trimmed.
 *
 * <p>Thread-safe.
 */
public sealed interface Page extends AutoCloseable permits UserPage {
    /** The size in bytes, a multiple of {@link PageCache#GRANULE_BYTES}. */
    long bytes();

    /**
     * Makes a view of all of the page, which lives as long as an arena. Views of one page share its
     * bytes; only the first one is sure to read zeros.
     *
     * @param arena an arena of the caller, of any kind
     * @return a segment of {@link #bytes} bytes, aligned to a granule
     * @throws IllegalStateException if the page is closed, or the arena
     * @throws WrongThreadException if the arena is confined to another thread
     */
    MemorySegment segment(Arena arena);

    /**
     * Gives the page back; it gets no views any more. Those that it has stay valid: while one is
     * alive the memory is kept, and it goes back when the arena of the last one is closed.
     *
     * @throws IllegalStateException if it is closed already
     */
    @Override
    void close();
}
