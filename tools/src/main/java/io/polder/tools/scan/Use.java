package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

/**
 * A use of native memory.
 *
 * @param call the method that is called, {@code Arena.ofConfined()}, or referred to, {@code
 *     Arena::ofConfined}
 * @param verdict of arenas that somebody has to close, null for all else
 * @param allocator what an {@linkplain UseKind#ALLOCATE allocation} is from, null if the method
 *     that allocates has not opened it, and for all else
 */
record Use(
        UseKind kind,
        String call,
        Place place,
        @Nullable Verdict verdict,
        @Nullable UseKind allocator) {
    /** Whether a pool of confined arenas would serve this one. */
    boolean poolingWouldServe() {
        return kind == UseKind.CONFINED && has(Fate.CLOSED);
    }

    boolean has(Fate fate) {
        return verdict != null && verdict.fate() == fate;
    }
}
