package io.polder.block;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The spans of one owner in which other threads have freed blocks, since the owner looked last.
 *
 * <pre>{@code
 *   cells   | padding | FIRST | padding |
 *                         |
 *                         +--> span --> span --> span      announced last is first
 * }</pre>
 *
 * <p>Any thread adds a span, by one compare-and-set, if {@link RemoteFrees#addFreed} told it to: so
 * none is added twice. Somebody takes all of them at once: so a first that was read and is there
 * still has been there in between.
 *
 * <p><b>Errors.</b> The compare-and-set decides; after it nothing is called.
 *
 * <p>Thread-safe, without a lock.
 */
final class AnnouncedSpans {
    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(Span[].class);

    /** Two cache lines before and behind, for the adjacent-line prefetch. */
    private static final int PADDING = 32;

    private static final int FIRST = PADDING;

    private final @Nullable Span[] cells = new @Nullable Span[2 * PADDING];

    /** Adds a span; returns whether it is the first one since all were taken. */
    boolean add(Span span) {
        while (true) {
            Span first = (Span) CELLS.getOpaque(cells, FIRST);
            span.nextAnnounced = first;
            if (CELLS.weakCompareAndSetRelease(cells, FIRST, first, span)) {
                return first == null;
            }
        }
    }

    /** Takes all spans; returns the first one, which links to the next. */
    @Nullable Span takeAll() {
        return (Span) CELLS.getAndSetAcquire(cells, FIRST, (Span) null);
    }

    /** The first one, as far as one can see. */
    @Nullable Span first() {
        return (Span) CELLS.getOpaque(cells, FIRST);
    }
}
