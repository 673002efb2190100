package io.polder.block;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

/**
 * The spans that come to an owner and those that leave it.
 *
 * <pre>{@code
 *   EmptySpans or ChunkSpace --> coming --> a list of the owner --> leaving --> EmptySpans
 * }</pre>
 *
 * <p>To be used by whoever has the owner to himself.
 *
 * <p><b>Errors.</b> A span on its way is in {@link #coming} or {@link #leaving}: whoever has the
 * owner next ends that, by {@link #finishLocked}.
 */
final class SpanSupply {
    private final ThreadSpans owner;

    /** A span that is to be one of the owner's; whoever puts it there clears this by a store. */
    @Nullable Span coming;

    /** A span that is one of the owner's no longer; stored by whoever took it from there. */
    @Nullable Span leaving;

    SpanSupply(ThreadSpans owner) {
        this.owner = owner;
    }

    /**
     * Takes an empty span, or a chunk for one; it is {@link #coming}, and in the map.
     *
     * @throws MemoryExhaustedException if there is no memory for one
     */
    Span takeLocked(int sizeClass) {
        BlockSpace its = owner.space();
        int preferred = Carving.level(sizeClass);
        int smallest = Carving.smallestLevel(sizeClass);
        coming = its.empties().take(preferred, preferred);
        if (coming == null) {
            coming = Span.of(owner);
            try {
                coming.chunk = its.chunks().take(preferred, preferred);
            } catch (MemoryExhaustedException exhausted) {
                Span other = its.empties().take(ChunkLevel.ROOT, smallest);
                if (other == null) {
                    if (preferred == smallest) {
                        throw exhausted;
                    }
                    coming.chunk = its.chunks().take(smallest, smallest);
                } else {
                    coming = other;
                }
            }
        }
        Span span = coming;
        span.format(sizeClass, owner);
        Carving.disclaim(span, its.chunks());
        its.map().add(span);
        return span;
    }

    /** Ends what was cut off. */
    void finishLocked() {
        BlockSpace its = owner.space();
        Span left = leaving;
        if (left != null) {
            its.empties().add(left);
            leaving = null;
        }
        Span came = coming;
        if (came != null) {
            if (came.chunk != Chunk.NONE) {
                came.format(0, owner);
                its.map().add(came);
                its.empties().add(came);
            }
            coming = null;
        }
    }

    /** Whether something was cut off. */
    boolean isUnfinished() {
        return coming != null || leaving != null;
    }
}
