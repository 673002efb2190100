package io.polder.arena;

import io.polder.event.EventHold;
import io.polder.leak.Lease;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An arena of all threads: its lifetime is a shared arena of the JDK, its bytes come from chunks.
 * It begins in the smallest chunk there is and takes no slab: shared arenas live long, and next to
 * their close, a lock is cheap.
 *
 * <p>States: <i>open</i>; <i>closed</i> ({@code released}).
 *
 * <p>Closing is the JDK's: it stops every access by a handshake with all threads, and then runs the
 * actions registered with the lifetime, the one registered first at the end. That one is ours,
 * registered before anybody can know the arena: it clears the chunks and gives them back, after
 * every action of the user's, also when some of them threw, and exactly once, however many threads
 * close at the same time. An {@link Error} of an action ends the JDK's close at once; the close
 * here then does what ours would have done, unless another close is under way.
 *
 * <p>Locking: {@link #lock} guards the chunks and what replaces {@link #range}. The common
 * allocation is without it: the top of the range moves by compare-and-set, after the JDK has
 * checked that the lifetime is alive. The close may come between the two; then the segment returned
 * is already dead, as it would be had the close come a moment later.
 *
 * <p>Invariants: while the lock is free and the arena open, {@code range} ends where the current
 * chunk is committed to, and its top is the top of that chunk. A range that was replaced is frozen:
 * so whoever still knows it takes nothing from a chunk that was retired, or given back.
 */
@SuppressWarnings("restricted") // addresses come from the chunks, which the arena owns
final class SharedArena implements Arena {
    private static final VarHandle CLOSING;

    static {
        try {
            CLOSING = MethodHandles.lookup().findVarHandle(SharedArena.class, "closing", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final ChunkSource source;
    private final ArenaChunks chunks;
    private final Arena lifetime;
    private final Object lock = new Object();

    /** What is watched in place of the arena; null if it is not. */
    private final @Nullable Lease lease;

    private volatile BumpRange range = BumpRange.EMPTY;
    private boolean released;

    /** How many calls of {@link #close} are under way. */
    @SuppressWarnings("unused") // through CLOSING
    private volatile int closing;

    /** Opens an arena of all threads that is not watched. */
    SharedArena(ChunkSource source) {
        this(source, null);
    }

    /**
     * Opens an arena of all threads.
     *
     * @param lease what is watched in place of it; null if it is not
     */
    SharedArena(ChunkSource source, @Nullable Lease lease) {
        this.source = source;
        this.lease = lease;
        this.chunks = new ArenaChunks(source);
        this.lifetime = Arena.ofShared();
        MemorySegment.NULL.reinterpret(0, lifetime, ignored -> release());
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        if (!lifetime.scope().isAlive()) {
            return lifetime.allocate(byteSize, byteAlignment); // throws
        }
        long alignment = Math.max(byteAlignment, ConfinedArena.MIN_ALIGNMENT);
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        long start = range.tryTake(occupied, alignment);
        if (start == BumpRange.NONE) {
            start = allocateMore(occupied, alignment);
        }
        if (start == BumpRange.NONE) {
            return lifetime.allocate(byteSize, alignment);
        }
        return MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        return allocate(byteSize, ConfinedArena.MALLOC_ALIGNMENT);
    }

    private long allocateMore(long bytes, long alignment) {
        try (EventHold _ = EventHold.begin()) {
            return takeMore(bytes, alignment);
        } catch (OutOfMemoryError failure) {
            source.tell(failure);
            throw failure;
        }
    }

    /** Takes memory from the chunks; returns {@link BumpRange#NONE} if the JDK's must be used. */
    private long takeMore(long bytes, long alignment) {
        synchronized (lock) {
            if (released) {
                return BumpRange.NONE; // and the lifetime throws
            }
            BumpRange before = range;
            long start = before.tryTake(bytes, alignment);
            if (start != BumpRange.NONE) {
                return start; // another thread took more while this one waited
            }
            long top = before == BumpRange.EMPTY ? 0 : before.freeze();
            try {
                return chunks.allocate(top, bytes, alignment);
            } finally {
                if (lease != null) {
                    lease.holds(chunks.heldBytes());
                }
                range =
                        chunks.top() == 0
                                ? BumpRange.EMPTY
                                : new BumpRange(chunks.top(), chunks.limit());
            }
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
        return lifetime.scope();
    }

    @Override
    public void close() {
        CLOSING.getAndAdd(this, 1);
        try {
            lifetime.close();
        } catch (Error failure) {
            // The JDK runs no further action then, so not ours either. But a rival may have closed
            // the lifetime, and its handshake may still be under way: then the chunks are lost.
            if ((int) CLOSING.getVolatile(this) == 1 && !lifetime.scope().isAlive()) {
                release();
            }
            throw failure;
        } finally {
            CLOSING.getAndAdd(this, -1);
        }
    }

    private void release() {
        synchronized (lock) {
            if (released) {
                return;
            }
            released = true;
            if (lease != null) {
                lease.close();
            }
            BumpRange last = range;
            range = BumpRange.EMPTY;
            chunks.giveRest(last == BumpRange.EMPTY ? 0 : last.freeze());
            if (chunks.first() != 0) {
                source.give(chunks.first(), chunks.firstUsedBytes());
            }
        }
    }
}
