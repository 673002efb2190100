package io.polder.cache;

import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;

/**
 * Whether a cache is larger than it may be.
 *
 * <pre>{@code
 *   maximumBytes >= entries + their handles + index + slack
 *                   `-------- counted -------------'   measured now and then: pages of the heap
 *                                                      that hold dead entries, or nothing yet
 * }</pre>
 *
 * <p>The slack that counts is bounded by a share of the maximum: where the heap has more, entries
 * would be evicted for nothing, since it shrinks by compaction only.
 *
 * <p>Thread-safe.
 */
final class Budget {
    /** The slack is measured again after so many bytes were put. */
    private static final long MEASURE_BYTES = 1L << 20;

    private static final int SLACK_SHARE = 4;

    private final Counts counts;
    private final Lines lines;
    private final RelocatingHeap heap;
    private volatile long bytesMax;
    private volatile long entriesMax;
    private volatile long slackBytes;

    /** Racy: measuring twice, or a little later, does no harm. */
    private long sinceMeasured;

    Budget(Counts counts, Lines lines, RelocatingHeap heap, long bytesMax, long entriesMax) {
        this.counts = counts;
        this.lines = lines;
        this.heap = heap;
        this.bytesMax = bytesMax;
        this.entriesMax = entriesMax;
    }

    long bytesMax() {
        return bytesMax;
    }

    long entriesMax() {
        return entriesMax;
    }

    void setBytesMax(long bytes) {
        bytesMax = bytes;
        measure();
    }

    void setEntriesMax(long entries) {
        entriesMax = entries;
    }

    /** The largest entry, in bytes. */
    long entryBytesMax() {
        return bytesMax / 8;
    }

    /** Whether there is too much, if so many bytes and entries come. */
    boolean isOver(long bytes, int entries) {
        return counts.entries.get() + entries > entriesMax
                || counts.bytes.get() + bytes + lines.bytes() > bytesMax - slackBytes;
    }

    boolean hasTooManyEntries() {
        return counts.entries.get() > entriesMax;
    }

    /** How many bytes there are too much; 0 or less if there are not. */
    long excessBytes() {
        return counts.bytes.get() + lines.bytes() - (bytesMax - slackBytes);
    }

    /** Is told what was put. */
    void put(long bytes) {
        long since = sinceMeasured + bytes;
        if (since < MEASURE_BYTES) {
            sinceMeasured = since;
        } else {
            measure();
        }
    }

    void measure() {
        sinceMeasured = 0;
        HeapStatistics stats = heap.stats();
        long held = stats.regionBytes() + stats.tableBytes();
        long slack = Math.max(0, held - counts.bytes.get());
        slackBytes = bytesMax == Long.MAX_VALUE ? 0 : Math.min(slack, bytesMax / SLACK_SHARE);
    }
}
