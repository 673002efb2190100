package io.polder.arena;

import io.polder.event.EventHold;
import io.polder.leak.LeakTracker;
import io.polder.memory.Exhaustion;
import io.polder.memory.StackBang;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An arena of all threads: its lifetime is a shared arena of the JDK, its bytes come from chunks.
 * It begins in the smallest chunk there is and takes no slab: shared arenas live long, and next to
 * their close, a lock is cheap.
 *
 * <p>States: <i>open</i>; <i>closed</i> (the lifetime is), and then {@code given}.
 *
 * <p>Closing is the JDK's: it stops every access by a handshake with all threads, and then runs the
 * actions registered with the lifetime, the one registered first at the end. That one is ours,
 * registered before anybody can know the arena: it gives the chunks back, after
 * every action of the user's, also when some of them threw, and exactly once, however many threads
 * close at the same time. An {@link Error} of an action ends the JDK's close at once; the close
 * here then does what ours would have done, unless another close is under way. Stack for all of
 * this is made sure of before: a lifetime whose close ends before its handshake counts as closed
 * while other threads still use it.
 *
 * <p><b>Errors.</b> A close that ends with an {@link Error} may be called again: that either closes
 * the arena, or gives back what is left and says that it is closed.
 *
 * <p>Locking: {@link #lock} guards the chunks and what replaces {@link #range}. The common
 * allocation is without it: the top of the range moves by compare-and-set, after the JDK has
 * checked that the lifetime is alive. The close may come between the two; then the segment returned
 * is already dead, as it would be had the close come a moment later.
 *
 * <p>Invariants: while the lock is free and the arena open, {@code range} ends where the current
 * chunk is committed to, and its top is the top of that chunk; or, after an error in an allocation,
 * {@code range} is EMPTY and the chunks know their top, or it is frozen there. A range that
 * was replaced is frozen: so a thread that still knows it takes nothing from a chunk that was
 * retired, or given back.
 */
@SuppressWarnings("restricted") // addresses come from the chunks, which the arena owns
final class SharedArena implements SharedAllocation {
    private final ArenaChunks chunks;
    private final Arena lifetime;
    private final Object lock = new Object();

    /** Tracks leaks of the arena; null if it is not. */
    private final @Nullable LeakTracker tracker;

    private volatile BumpRange range = BumpRange.EMPTY;

    /** Whether the chunks are given back. */
    private boolean given;

    /** How many threads are in the JDK's close; guarded by the lock. */
    private int closing;

    /**
     * Opens an arena of all threads.
     *
     * @param tracker tracks leaks of it; null if it is not
     */
    SharedArena(ChunkSource source, @Nullable LeakTracker tracker) {
        this.tracker = tracker;
        this.chunks = new ArenaChunks(source);
        this.lifetime = Arena.ofShared();
        MemorySegment.NULL.reinterpret(0, lifetime, ignored -> release());
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment, boolean overwritten) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        if (!lifetime.scope().isAlive()) {
            return lifetime.allocate(byteSize, byteAlignment); // throws
        }
        long alignment = Math.max(byteAlignment, ConfinedArena.MIN_ALIGNMENT);
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        long start = range.tryTake(occupied, alignment);
        if (start == BumpRange.NONE) {
            start = allocateMore(occupied, alignment, overwritten);
        }
        return MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
    }

    private long allocateMore(long bytes, long alignment, boolean overwritten) {
        int left = Exhaustion.ATTEMPTS_MAX;
        while (true) {
            long ended = chunks.source.listener.closesEnded();
            try (EventHold _ = EventHold.begin()) {
                long start = takeMore(bytes, alignment, overwritten);
                return start != BumpRange.NONE
                        ? start
                        : chunks.source.allocateOfJdk(lifetime, bytes, alignment);
            } catch (OutOfMemoryError failure) {
                left = chunks.source.makeRoom(left, ended, failure);
            }
        }
    }

    /** Takes memory from the chunks; returns {@link BumpRange#NONE} if the JDK's must be used. */
    private long takeMore(long bytes, long alignment, boolean overwritten) {
        synchronized (lock) {
            if (!lifetime.scope().isAlive()) {
                return BumpRange.NONE; // and it throws
            }
            long start = range.tryTake(bytes, alignment);
            if (start != BumpRange.NONE) {
                return start; // another thread took more while this one waited
            }
            freeze();
            try {
                return chunks.allocate(bytes, alignment, overwritten);
            } finally {
                if (tracker != null) {
                    tracker.holds(chunks.heldBytes());
                }
                if (chunks.currentTop() != 0) {
                    range = new BumpRange(chunks.currentTop(), chunks.currentLimit());
                }
            }
        }
    }

    /** Ends the range, and tells the chunks where; where an error ends this, the next one does. */
    private void freeze() {
        BumpRange before = range;
        if (before != BumpRange.EMPTY) {
            chunks.setTop(before.freeze());
            range = BumpRange.EMPTY;
        }
    }

    /** The size of all it has now. */
    long heldBytes() {
        synchronized (lock) {
            return chunks.heldBytes();
        }
    }

    @Override
    public MemorySegment.Scope scope() {
        LeakTracker.scopeGiven(tracker);
        return lifetime.scope();
    }

    /**
     * Closes it in place of its users, who cannot; one thread at a time.
     *
     * @return null, or what an action of a user threw
     */
    @Nullable Throwable tryClose() {
        boolean wasAlive = true;
        try {
            wasAlive = lifetime.scope().isAlive();
            close();
            return null;
        } catch (RuntimeException | Error failure) {
            // Alive: a downcall holds it. Dead before: this ended what an earlier close left.
            return wasAlive && !lifetime.scope().isAlive() ? failure : null;
        }
    }

    @Override
    public void close() {
        StackBang.ensure();
        synchronized (lock) {
            closing++;
        }
        boolean closed = false;
        try {
            lifetime.close();
            closed = true;
        } finally {
            synchronized (lock) {
                closing--;
            }
            if (!closed) {
                closeFailed();
            }
        }
    }

    /**
     * Does what the JDK does not after an {@link Error} of an action, or what an earlier close did
     * not end. But a rival may have closed the lifetime, and its handshake may still be under way:
     * then it is for the rival.
     */
    private void closeFailed() {
        synchronized (lock) {
            if (closing == 0 && !given && !lifetime.scope().isAlive()) {
                release();
            }
        }
    }

    private void release() {
        synchronized (lock) {
            if (given) {
                return;
            }
            freeze();
            chunks.giveRest();
            given = true;
            LeakTracker.close(tracker);
        }
    }

    /** Whether all it had is given back. */
    boolean isReleased() {
        synchronized (lock) {
            return given;
        }
    }
}
