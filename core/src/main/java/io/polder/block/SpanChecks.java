package io.polder.block;

import org.jspecify.annotations.Nullable;

/**
 * What is known of the blocks of a span that are checked, by their number in it.
 *
 * <p>Invariant: {@link #waiting} of them are freed and in the {@link Quarantine}.
 *
 * <p>Guarded by the lock of {@link CheckedBlocks}; statistics read {@link #waiting} without.
 */
final class SpanChecks {
    final Span span;

    /** How messages call the pool. */
    final String poolName;

    /** All that is known; by one store each it is known, or no more. */
    final @Nullable CheckedBlock[] blocks;

    /** How many of them are in quarantine. */
    int waiting;

    /** Whether none came or went since the last tick. */
    boolean idle;

    SpanChecks(Span span, String poolName) {
        this.span = span;
        this.poolName = poolName;
        this.blocks =
                new @Nullable
                        CheckedBlock[span.isLarge() ? 1 : (int) (span.bytes / span.blockBytes)];
    }

    /** Where what is known of a block stands. */
    int index(long address) {
        return (int) ((address - span.base) / span.blockBytes);
    }

    /** What is known of a block; null if it was not allocated since the span was made. */
    @Nullable CheckedBlock at(long address) {
        return blocks[index(address)];
    }

    /** Whether all blocks of the span that are not free are in quarantine. */
    boolean isWhole() {
        return waiting > 0 && waiting == span.unfreed();
    }
}
