package io.polder.heap;

import java.util.Objects;

/**
 * What a user chooses for a heap, beginning with {@link #DEFAULT}.
 *
 * <p>Cannot be changed.
 */
public final class HeapOptions {
    /** No limit of its own, a quarter of a processor, and {@link EvacuationFailurePolicy#PIN}. */
    public static final HeapOptions DEFAULT =
            new HeapOptions(Long.MAX_VALUE, 0.25, EvacuationFailurePolicy.PIN);

    /** The smallest limit, 8 MiB: two pages for objects, one for handles, one to compact with. */
    public static final long MAX_BYTES_MIN = 8L << 20;

    private final long maxBytes;
    private final double compactionShare;
    private final EvacuationFailurePolicy evacuationFailure;

    private HeapOptions(
            long maxBytes, double compactionShare, EvacuationFailurePolicy evacuationFailure) {
        if (maxBytes < MAX_BYTES_MIN) {
            throw new IllegalArgumentException(
                    MAX_BYTES_MIN + " <= maxBytes: maxBytes=" + maxBytes);
        }
        if (!(compactionShare >= 0 && compactionShare <= 1)) {
            throw new IllegalArgumentException(
                    "0 <= compactionShare <= 1: compactionShare=" + compactionShare);
        }
        this.maxBytes = maxBytes;
        this.compactionShare = compactionShare;
        this.evacuationFailure = Objects.requireNonNull(evacuationFailure, "evacuationFailure");
    }

    /**
     * How much memory it may take from its pool, in bytes, all it needs for itself included; {@code
     * Long.MAX_VALUE} leaves it to the limits of the pool.
     */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * How much of one processor compaction in the background may take, on average: from 0, never by
     * itself, to 1. What runs because a thread asked for it, or because the heap is full, is not
     * bounded.
     */
    public double compactionShare() {
        return compactionShare;
    }

    /** What is done when there is no room to move an object to. */
    public EvacuationFailurePolicy evacuationFailure() {
        return evacuationFailure;
    }

    /**
     * The same with another limit, in bytes.
     *
     * @throws IllegalArgumentException if it is below {@link #MAX_BYTES_MIN}
     */
    public HeapOptions withMaxBytes(long bytes) {
        return new HeapOptions(bytes, compactionShare, evacuationFailure);
    }

    /**
     * The same with another share of a processor.
     *
     * @throws IllegalArgumentException if it is not from 0 to 1
     */
    public HeapOptions withCompactionShare(double share) {
        return new HeapOptions(maxBytes, share, evacuationFailure);
    }

    /** The same with another policy. */
    public HeapOptions withEvacuationFailure(EvacuationFailurePolicy policy) {
        return new HeapOptions(maxBytes, compactionShare, policy);
    }
}
