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
 * would be evicted for nothing, since it shrinks by compaction only. So would they be for what is
 * dead and leaves with the next compaction: what was evicted a moment ago would have more evicted
 * each time that the slack is measured, until compaction gets to it. Where compaction in the
 * background is too slow for what is put, those who put wait for it; where it does not get on at
 * all, since somebody reads a large entry for long, nothing new is put.
 *
 * <p>Nothing is evicted for an entry that is large beside what the pool may have. To make room for
 * it, most of the others would leave, perhaps in vain.
 *
 * <p>Thread-safe.
 */
final class Budget {
    /** The slack is measured again after so many bytes were put. */
    private static final long MEASURE_BYTES = 1L << 20;

    /** Threads of one place add to the number that all write when they have put this much. */
    static final long PART_BYTES = 8L << 10;

    private static final int SLACK_SHARE = 4;

    /** Dead entries count up to such a share: twice as much as compaction leaves. */
    private static final int DEAD_SHARE = 8;

    /** Who puts waits where the heap exceeds what it may have by this share of that. */
    private static final int LATE_SHARE = 8;

    /** If that was in vain, only when it has grown again by such a share. */
    private static final int LATE_AGAIN_SHARE = 32;

    /** An entry takes such a share of the limits at most. */
    private static final int ENTRY_SHARE = 8;

    /** Sizes in files are ints. */
    private static final long OBJECT_BYTES_MAX = Integer.MAX_VALUE - 1024;

    /** Where the heap has so many times the maximum, nothing new is put. */
    private static final int FULL_TIMES = 2;

    private final Counts counts;
    private final Lines lines;
    private final RelocatingHeap heap;
    private final long poolBytesMax;
    private volatile long bytesMax;
    private volatile long entriesMax;
    private volatile long slackBytes;

    /** Held of the heap when it was measured last, and when somebody who puts has waited last. */
    private volatile long heldBytes;

    private volatile long waitedBytes;

    /** Racy: measuring twice, or a little later, does no harm. */
    private long sinceMeasured;

    Budget(
            Counts counts,
            Lines lines,
            RelocatingHeap heap,
            long poolBytesMax,
            long bytesMax,
            long entriesMax) {
        this.counts = counts;
        this.lines = lines;
        this.heap = heap;
        this.poolBytesMax = poolBytesMax;
        this.bytesMax = bytesMax;
        this.entriesMax = entriesMax;
    }

    long bytesMax() {
        return bytesMax;
    }

    long entriesMax() {
        return entriesMax;
    }

    /** The caller measures the heap anew. */
    void setBytesMax(long bytes) {
        bytesMax = bytes;
    }

    void setEntriesMax(long entries) {
        entriesMax = entries;
    }

    /** The largest entry, in bytes. */
    long entryBytesMax() {
        return Math.min(bytesMax / ENTRY_SHARE, OBJECT_BYTES_MAX);
    }

    /** Whether an entry of this size is too large to evict others for it. */
    boolean isTooLargeForPool(long bytes) {
        return bytes > poolBytesMax / ENTRY_SHARE;
    }

    /** Whether there is too much, if so many bytes and entries come. */
    boolean isOver(long bytes, int entries) {
        return hasTooManyEntries(entries) || hasTooManyBytes(bytes);
    }

    boolean hasTooManyEntries(int more) {
        return counts.entries.get() + more > entriesMax;
    }

    boolean hasTooManyBytes(long more) {
        return counts.bytes.get() + more + lines.bytes() > withoutSlack();
    }

    /** What entries and the index may take. The slack may be that of a limit before this one. */
    private long withoutSlack() {
        long most = bytesMax; // read once: others may set it between two reads
        return most - Math.min(slackBytes, most / SLACK_SHARE);
    }

    /** Whether pages of the heap, when it was measured last, and the index are too much. */
    boolean holdsTooMuch() {
        return heldBytes + lines.bytes() > bytesMax;
    }

    /** How many bytes there are too much; 0 or less if there are not. */
    long excessBytes() {
        return counts.bytes.get() + lines.bytes() - withoutSlack();
    }

    /** Whether compaction in the background is too slow for what is put. */
    boolean isLate() {
        long most = bytesMax;
        return most < Long.MAX_VALUE
                && heldBytes > most - lines.bytes() + most / LATE_SHARE
                && heldBytes > waitedBytes + most / LATE_AGAIN_SHARE;
    }

    /** Whether the heap is so far beyond the maximum that nothing may be put before it shrinks. */
    boolean isFull() {
        if (heldBytes / FULL_TIMES <= bytesMax) {
            return false;
        }
        measure();
        return heldBytes / FULL_TIMES > bytesMax;
    }

    /** Is told that somebody who puts has waited, perhaps in vain. */
    void waited() {
        waitedBytes = heldBytes;
    }

    /** Is told what was put. */
    void put(long bytes) {
        long part = counts.putBytes.add(bytes);
        if (part >= PART_BYTES) {
            long _ = counts.putBytes.add(-part);
            long since = sinceMeasured + part;
            if (since < MEASURE_BYTES) {
                sinceMeasured = since;
            } else {
                measure();
            }
        }
    }

    void measure() {
        sinceMeasured = 0;
        HeapStatistics stats = heap.stats();
        long held = stats.regionBytes() + stats.tableBytes();
        heldBytes = held;
        waitedBytes = Math.min(waitedBytes, held);
        long dead = stats.filledBytes() - stats.liveBytes();
        long leaving = Math.max(0, dead - bytesMax / DEAD_SHARE);
        slackBytes = Math.max(0, held - leaving - counts.bytes.get());
    }
}
