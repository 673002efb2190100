package io.polder.heap;

import java.util.Objects;

/**
 * What a user chooses for a heap.
 *
 * @param maxBytes how much memory it may take from its pool, in bytes, all it needs for itself
 *     included; {@code Long.MAX_VALUE} leaves it to the limits of the pool
 * @param compactionShare how much of one processor compaction in the background may take, on
 *     average: from 0, never by itself, to 1. What runs because a thread asked for it, or because
 *     the heap is full, is not bounded
 * @param evacuationFailure what is done when there is no room to move an object to
 */
public record HeapOptions(
        long maxBytes, double compactionShare, EvacuationFailurePolicy evacuationFailure) {
    /** No limit of its own, a quarter of a processor, and {@link EvacuationFailurePolicy#PIN}. */
    public static final HeapOptions DEFAULT =
            new HeapOptions(Long.MAX_VALUE, 0.25, EvacuationFailurePolicy.PIN);

    /** The smallest limit, 8 MiB: two pages for objects, one for handles, one to compact with. */
    public static final long MAX_BYTES_MIN = 8L << 20;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public HeapOptions {
        if (maxBytes < MAX_BYTES_MIN) {
            throw new IllegalArgumentException(
                    MAX_BYTES_MIN + " <= maxBytes: maxBytes=" + maxBytes);
        }
        if (!(compactionShare >= 0 && compactionShare <= 1)) {
            throw new IllegalArgumentException(
                    "0 <= compactionShare <= 1: compactionShare=" + compactionShare);
        }
        Objects.requireNonNull(evacuationFailure, "evacuationFailure");
    }

    /** The same with another limit, in bytes. */
    public HeapOptions withMaxBytes(long bytes) {
        return new HeapOptions(bytes, compactionShare, evacuationFailure);
    }

    /** The same with another share of a processor. */
    public HeapOptions withCompactionShare(double share) {
        return new HeapOptions(maxBytes, share, evacuationFailure);
    }

    /** The same with another policy. */
    public HeapOptions withEvacuationFailure(EvacuationFailurePolicy policy) {
        return new HeapOptions(maxBytes, compactionShare, policy);
    }
}
