package io.polder.page;

import io.polder.page.space.UserPage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Contiguous native memory that was taken from a {@link PageCache}.
 *
 * <pre>{@code
 *   taken --segment--> taken, n views --close of their arenas--> taken
 *     | give              | give
 *     v                   v
 *   given              kept, n views --close of their arenas--> given
 * }</pre>
 *
 * <p>It is used through views, each bound to an arena of the caller: the JDK checks their bounds,
 * and lifetime and thread as that arena says. The page goes back to the cache when it was
 * {@linkplain PageCache#give given} and no view is alive, never before. A view in the global arena
 * lives for ever, and keeps the page for as long.
 *
 * <p>Thread-safe.
 */
public sealed interface Page permits UserPage {
    /** The size in bytes, a multiple of {@link PageCache#GRANULE_BYTES}. */
    long bytes();

    /**
     * Makes a view of all of the page, which lives as long as an arena. Views of one page share its
     * bytes; only the first one is sure to read zeros.
     *
     * @param arena an arena of the caller, of any kind
     * @return a segment of {@link #bytes} bytes, aligned to a granule
     * @throws IllegalStateException if the page was given, or the arena is closed
     * @throws WrongThreadException if the arena is confined to another thread
     */
    MemorySegment segment(Arena arena);
}
