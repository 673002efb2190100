package io.polder.heap.space;

import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import java.lang.invoke.VarHandle;

/**
 * The pages of one heap, within its own limit and that of the pool.
 *
 * <p><b>Reserve.</b> {@link ToSpace} keeps a page to evacuate to. What is missing of it new objects
 * leave within the heap's own limit: so a heap that is full can be compacted.
 *
 * <p><b>Huge pages.</b> A look-up goes from the table to the object, each at random: in a large
 * heap both miss the cache of the address translation. So a heap that is large asks for huge pages,
 * which come and go with regions and pages of the table: both are multiples of them.
 *
 * <p>Invariants: {@code 0 <= takenBytes <= maxBytes}; takenBytes is the sum of the pages that are
 * taken, and of those that somebody is about to take or to give.
 *
 * <p><b>Given.</b> A page is counted as given before anybody else can have it, and before the heap
 * itself has it for something else. All that a heap gives back passes here: {@link
 * OptimisticReads} rely on that.
 *
 * <p>Failure. A page is counted before it is taken until after it was given, by stores in place: so
 * whatever is thrown, a take that throws has changed nothing, nor has a give.
 *
 * <p>Thread-safe: its monitor guards {@code takenBytes} and {@code given} to write, and nothing is
 * called under it.
 */
final class HeapPages {
    /** What messages call its own limit. */
    private static final String OWN_LIMIT = "heap";

    /** A region that objects share is one part of so many of the heap, at most. */
    private static final int SHARED_PART = 8;

    /**
     * From this size on a heap wants huge pages: it is more than the second level of the address
     * translation reaches with small pages, and what current regions have untouched is small beside
     * it. The pages that it has already stay as they are.
     */
    private static final long HUGE_FROM_BYTES = 32L << 20;

    /**
     * Between two looks whether a heap rests, the decay is divided by it: with the default decay
     * that is longer than pauses between bursts of requests. Guessed.
     */
    private static final int REST_PART = 3;

    private final PageSpace pages;
    private final Exhaustion exhaustion;
    final long maxBytes;

    /** Between two looks whether the heap rests. */
    final long restNanos;

    /** How much should be in reserve; written by {@link ToSpace}. */
    volatile long reserveBytes;

    /** How much is in reserve; written by {@link Reserve}. */
    volatile long reservedBytes;

    private volatile long takenBytes;

    /**
     * How many pages were given back or used again, or are about to be, with which an optimistic
     * read begins; written under the monitor.
     */
    volatile long given;

    /** The most that was taken since the last look; guarded by the monitor, as the next two are. */
    private long mostTaken;

    /** The most that was taken between the last look and the one before. */
    private long mostBefore;

    /** Whether no page was taken for new objects since the last look. */
    private boolean rests;

    /** Whether the heap was closed, and takes no page any more. */
    volatile boolean ended;

    /** Whether what was given back can be read still, by a reader that does not know that. */
    final boolean leftMapped;

    /**
     * No pages yet.
     *
     * @param pages where they come from
     * @param exhaustion says for whom room is made
     * @param maxBytes how much to take at most
     */
    HeapPages(PageSpace pages, Exhaustion exhaustion, long maxBytes) {
        this.pages = pages;
        this.exhaustion = exhaustion;
        this.maxBytes = maxBytes;
        this.restNanos = Math.max(1, pages.decayNanos / REST_PART);
        this.leftMapped = pages.leaveMapped();
    }

    /** What their pool is called. */
    String poolName() {
        return pages.poolName();
    }

    /** How large a region that objects share should be at most, for the heap as it is now. */
    long sharedMaxBytes() {
        long part = PageSpace.roundUp(takenBytes / SHARED_PART - PageSpace.GRANULE_BYTES / 2);
        return Math.clamp(part, PageSpace.GRANULE_BYTES, RegionType.MEDIUM_32.bytes);
    }

    /** How much is missing of the reserve. */
    long missingBytes() {
        return Math.max(0, reserveBytes - reservedBytes);
    }

    /**
     * Takes a page for new objects or their handles. It leaves room for what is missing of the
     * reserve, within both limits: a page that a cycle gives back is the next reserve first. And it
     * leaves what room there is {@linkplain #leaveToOthers to others}.
     *
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the pool is closed
     */
    Extent take(long bytes) {
        long rounded = PageSpace.roundUp(bytes);
        leaveToOthers(rounded);
        long missing = missingBytes();
        if (missing > 0) {
            boolean _ = pages.makeRoom(rounded + missing);
            long room = Math.max(0, pages.roomBytes());
            if (rounded > room - missing) {
                throw pages.exhausted(room, missing, rounded);
            }
        }
        return take(rounded, true);
    }

    /**
     * Refuses to take memory for new objects while room is made for other threads of the pool.
     *
     * @throws MemoryExhaustedException then
     */
    void leaveToOthers(long bytes) {
        if (exhaustion.isForOthers()) {
            long room = Math.max(0, pages.roomBytes());
            throw pages.exhausted(room, room, bytes);
        }
    }

    /** Takes a page to evacuate to, also if that uses up the limit. */
    Extent takeToEvacuate(long bytes) {
        return take(bytes, false);
    }

    /** Asks for huge pages behind a page that was taken, if the heap is large. */
    void adviseHugePages(Extent page) {
        if (takenBytes >= HUGE_FROM_BYTES) {
            pages.wantHugePages(page);
        }
    }

    /** Whether pages of this size should be had now for new objects. */
    boolean hasRoom(long bytes) {
        return bytes <= roomToEvacuate() - missingBytes();
    }

    /** How many of so many bytes have addresses that lie side by side, as a page has. A hint. */
    long contiguousBytes(long most) {
        return pages.contiguousBytes(most);
    }

    /** Has others of the pool give back what they have free, where there is less than that. */
    void makeRoom(long bytes) {
        boolean _ = pages.makeRoom(Math.min(bytes, maxBytes - takenBytes));
    }

    /** How much there is to evacuate to, within both limits, in whole granules. A hint. */
    long roomToEvacuate() {
        long room = Math.min(maxBytes - takenBytes, pages.roomBytes());
        return Math.clamp(room, 0, Long.MAX_VALUE / 2) & -PageSpace.GRANULE_BYTES;
    }

    private Extent take(long bytes, boolean leavesMissing) {
        if (ended) {
            return HeapSpace.refuse();
        }
        long rounded = (bytes + PageSpace.GRANULE_BYTES - 1) & -PageSpace.GRANULE_BYTES;
        long now;
        long leftBytes;
        boolean fits;
        synchronized (this) {
            now = takenBytes;
            leftBytes = leavesMissing ? missingBytes() : 0; // of a reserve that is no part of now
            fits = rounded <= maxBytes - leftBytes - now;
            if (fits) {
                takenBytes = now + rounded;
                rests &= !leavesMissing;
                mostTaken = Math.max(mostTaken, takenBytes);
            }
        }
        if (!fits) {
            long kept = reservedBytes;
            throw MemoryExhaustedException.overLimit(
                    OWN_LIMIT, maxBytes, now - kept, leftBytes + kept, rounded, poolName());
        }
        boolean taken = false;
        try {
            Extent page = pages.take(rounded, false);
            taken = true;
            return page;
        } finally {
            if (!taken) {
                synchronized (this) {
                    takenBytes = takenBytes - rounded;
                }
            }
        }
    }

    /**
     * Gives a page back.
     *
     * @param dirtyBytes how much of it, from its front, was written
     */
    void give(Extent page, long dirtyBytes) {
        long bytes = page.bytes();
        countGiven();
        pages.give(page, dirtyBytes);
        synchronized (this) {
            takenBytes = takenBytes - bytes;
        }
    }

    /** Before a page is another's: nobody else can write to it before that is counted. */
    void countGiven() {
        synchronized (this) {
            given = given + 1;
        }
        VarHandle.fullFence();
    }

    /**
     * Uncommits as much as the heap has given back lately, if it took no page for new objects since
     * the last look: to be called {@link #restNanos} after it may have given some. Makes system
     * calls.
     *
     * @return whether to look again
     */
    boolean uncommitUnneeded() {
        long bytes;
        boolean more;
        synchronized (this) {
            long most = Math.max(mostBefore, mostTaken);
            bytes = rests ? most - takenBytes : 0;
            more = !rests && most > takenBytes;
            mostBefore = rests ? takenBytes : mostTaken;
            mostTaken = takenBytes; // before the calls: what fails is left to the decay
            rests = true;
        }
        if (bytes > 0) {
            long _ = pages.uncommitFree(bytes);
        }
        return more;
    }

    /** Whether no page was given back since, so that what was read until here was in its place. */
    boolean noneGivenSince(long before) {
        VarHandle.loadLoadFence();
        return given == before;
    }

    /** Whether it was the heap's own limit that was in the way. */
    static boolean byOwnLimit(MemoryExhaustedException full) {
        return OWN_LIMIT.equals(full.limit());
    }

    /** Whether their pool is closed. */
    boolean isShut() {
        return pages.isShut();
    }

    long takenBytes() {
        return takenBytes;
    }
}
