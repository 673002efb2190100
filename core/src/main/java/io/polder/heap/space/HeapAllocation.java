package io.polder.heap.space;

import io.polder.event.Printable;
import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Insider;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates an object for a caller, who is outside the access gate or in a critical section of it.
 *
 * <pre>{@code
 *   checked --> tried, in a critical section --> handle
 *                 ^   ^        |
 *                 |   +-- no region, or no leaf: opened outside
 *                 |            |
 *                 |       no memory --> room made by the heap, or by the pool
 *                 +--------------------------------+     |
 *                                                        none --> refused
 * }</pre>
 *
 * <p><b>Locks.</b> Regions and leaves are opened with locks, and compaction waits for the thread
 * that is inside: a virtual thread that met a lock there would be inside until all others had a
 * carrier. So one is opened in a critical section only where the thread is in a function of the
 * heap. A large object has a page of its own, which goes back if it is not used; what a new one
 * begins with is written there before, since that may take long.
 *
 * <p>Where room is made for others of the pool, a caller who takes no for an answer waits for them,
 * not for long, and gets no memory before.
 *
 * <p>The heap makes room by a compaction, which waits for readers: so only for a thread that is
 * outside, and no longer than {@link RoomMaker} says. The pool is asked where its memory is used
 * up, and not where the heap's own limit is.
 *
 * <p>Thread-safe.
 *
 * @param access the gate that every use of an object passes
 * @param compactor compacts the heap
 * @param exhaustion makes room in the pool, and is told of what is refused
 */
record HeapAllocation(
        NewObjects newObjects,
        Gate access,
        HeapPages pages,
        Compactor compactor,
        Exhaustion exhaustion) {
    /** Names no object. */
    static final long NO_HANDLE = 0;

    private static final LongOperation<NewObjects, @Nullable MemorySegment> MAKE =
            (newObjects, handle, bytes, anywhere, page, content) ->
                    handle == NO_HANDLE
                            ? newObjects.create(bytes, content, anywhere != 0, page)
                            : newObjects.resize(handle, bytes, anywhere != 0, page);

    /** How often room is made for one object, which others may take, or its own attempt. */
    private static final int ATTEMPTS_MAX = 64;

    /** How long a thread waits for others, and between two looks: guessed, a pause for a user. */
    private static final long OTHERS_NANOS = 50_000_000;

    private static final long LOOK_NANOS = 500_000;

    /**
     * Allocates an object, or gives one another size.
     *
     * @param handle of the object that gets another size; {@link #NO_HANDLE} for a new one
     * @param content what is in a new one; null for zeros
     * @param mayBeFull whether a heap without room is an answer, which is 0
     * @return its handle
     */
    long allocate(long handle, long bytes, @Nullable MemorySegment content, boolean mayBeFull) {
        try {
            return allocateMakingRoom(handle, bytes, content, mayBeFull);
        } finally {
            compactor.wakeIfDue();
        }
    }

    private long allocateMakingRoom(
            long handle, long bytes, @Nullable MemorySegment content, boolean mayBeFull) {
        int left = ATTEMPTS_MAX;
        while (true) {
            check(bytes);
            long ended = exhaustion.closesEnded();
            try {
                long made = allocateNow(handle, bytes, content, 0, 0);
                return made != NO_HANDLE ? made : allocateOpening(handle, bytes, content);
            } catch (MemoryExhaustedException full) {
                if (mayBeFull && exhaustion.isForOthers()) {
                    if (awaitOthers()) {
                        continue;
                    }
                    return NO_HANDLE;
                }
                left = full.never() ? 0 : left;
                boolean made = left > 0 && makeRoom(bytes, left, full, ended, mayBeFull);
                if (left == 0) {
                    if (mayBeFull) {
                        return NO_HANDLE;
                    }
                    exhaustion.exhausted(full);
                    throw full.toOutOfMemoryError(heldUp());
                }
                left = made ? left - 1 : 0; // a last one: who gives back may have had it in hand
            }
        }
    }

    /**
     * Checks a size, and that the pool is open. A heap of a closed pool gets nothing, whether or
     * not it has room: so that it is reliable.
     */
    void check(long bytes) {
        long most = Math.min(pages.maxBytes, ObjectLayout.SIZE_MAX_BYTES);
        if (bytes < 0 || bytes > most) {
            throw new IllegalArgumentException(
                    "an object must fit into its heap: bytes=" + bytes + ", maxBytes=" + most);
        }
        if (pages.isShut()) {
            if (access.isClosed()) {
                long _ = HeapSpace.refuse();
            }
            throw new IllegalStateException(
                    "the pool is closed, and its heaps allocate no more: pool=" + pages.poolName());
        }
    }

    /**
     * Says which reader compaction waits for, if there is one. How long he is inside is known a
     * little late: so half of what a thread waits for him will do.
     */
    private String heldUp() {
        if (access.isInside()) {
            return ", the thread is in a function of this heap, for which compaction cannot wait:"
                    + " allocate outside";
        }
        Insider reader = access.longestInside();
        return reader == null || reader.atLeastNanos() < RoomMaker.stuckNanos() / 2
                ? ""
                : ", compaction waits for a reader: thread=" + Printable.of(reader.thread());
    }

    /** Waits until no room is made for others, and not if they may wait for the running thread. */
    private boolean awaitOthers() {
        long begin = System.nanoTime();
        boolean interrupted = false;
        boolean waits = !InsideAnyHeap.isRunningThread();
        try {
            while (waits && exhaustion.isForOthers()) {
                interrupted |= Thread.interrupted(); // or it would not wait
                LockSupport.parkNanos(this, LOOK_NANOS);
                waits = System.nanoTime() - begin < OTHERS_NANOS;
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return waits;
    }

    /**
     * By the heap itself, if the thread is outside; or else by its pool. What came back and others
     * took was room as well: a heap that lives on what dies in it refuses nothing for that. Who
     * takes no for an answer does not wait for it again.
     */
    private boolean makeRoom(
            long bytes,
            int left,
            MemoryExhaustedException full,
            long endedBefore,
            boolean mayBeFull) {
        RoomMaker.Wanted wanted = wanted(bytes, left);
        boolean ofPool = !HeapPages.byOwnLimit(full);
        boolean asks = ofPool && !mayBeFull;
        long before = compactor.counts.givenBackBytes.get();
        long begin = System.nanoTime();
        boolean made = false;
        boolean others = false;
        if (asks) {
            exhaustion.asks();
        }
        try {
            boolean here = !access.isInside() && compactor.room.make(wanted);
            boolean isEnough = here && (!ofPool || compactor.hasRoom(wanted));
            boolean atOnce =
                    !isEnough
                            && ofPool
                            && (exhaustion.makeRoom() || exhaustion.awaitClosing(endedBefore));
            boolean isFirst = mayBeFull || left > ATTEMPTS_MAX - 2; // see Exhaustion.makeRoom
            made =
                    isEnough
                            || (atOnce && isFirst)
                            || (ofPool && (exhaustion.compactHeaps(wanted.pageBytes()) || here))
                            || (atOnce && System.nanoTime() - begin < Exhaustion.HELD_UP_NANOS)
                            || (!mayBeFull && compactor.counts.givenBackBytes.get() != before);
        } finally {
            others = asks && exhaustion.asked();
        }
        // What they have made may be for all; but a reader that is in the way is waited for once.
        boolean again =
                others
                        && left > ATTEMPTS_MAX - Exhaustion.ATTEMPTS_MAX
                        && System.nanoTime() - begin < RoomMaker.stuckNanos();
        if (!made && again) {
            LockSupport.parkNanos(this, Exhaustion.OTHERS_NANOS);
        }
        return made || again;
    }

    /** In turn: room in a region or a page, a page, and a page beside another one of the table. */
    private RoomMaker.Wanted wanted(long bytes, int left) {
        long pageBytes = compactor.toSpace.wantedBytes(bytes);
        long footprint = ObjectLayout.footprint(bytes);
        long runBytes = RegionType.leastBytes(bytes);
        return switch (left % 3) {
            case 1 -> new RoomMaker.Wanted(pageBytes, runBytes, ToSpace.REST_OBJECTS * footprint);
            case 0 -> RoomMaker.Wanted.page(pageBytes, runBytes);
            default -> RoomMaker.Wanted.page(pageBytes + PageSpace.GRANULE_BYTES, runBytes);
        };
    }

    /**
     * What is missing is opened outside of the gate, unless the thread is inside; where there is no
     * memory for a region, the object gets room in any that there is.
     */
    private long allocateOpening(long handle, long bytes, @Nullable MemorySegment content) {
        Region page = null;
        try {
            while (true) {
                boolean isFresh = page == null || page.isRetired();
                page = isFresh ? newObjects.takePage(bytes) : page;
                MemoryExhaustedException full = newObjects.open(bytes, handle == NO_HANDLE);
                if (isFresh && page != null && handle == NO_HANDLE) { // last: it may take long
                    newObjects.allocator().fillLarge(page, bytes, content);
                }
                long at = page == null ? 0 : page.address();
                long made = allocateNow(handle, bytes, content, full == null ? 0 : 1, at);
                if (made != NO_HANDLE) {
                    return made;
                }
                if (full != null) {
                    throw full;
                }
            }
        } finally {
            if (page != null) {
                newObjects.allocator().closeUnused(page);
            }
        }
    }

    private long allocateNow(
            long handle, long bytes, @Nullable MemorySegment content, long anywhere, long page) {
        return access.insideAsLong(
                MAKE, newObjects, handle, bytes, anywhere, page, content, HeapSpace.REFUSAL);
    }
}
