package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.leak.Lease;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * An arena of one thread: its lifetime is a fresh confined arena of the JDK, its bytes come from
 * its first chunk, a slab in most cases, and then from more {@linkplain ArenaChunks chunks}.
 *
 * <pre>{@code
 *   first             top                          limit
 *    | used, dirty     | free, zero                  |
 *    +-----------------+-----------------------------+
 *    |<---------  the first chunk, a slab  --------->|     what does not fit: ArenaChunks
 * }</pre>
 *
 * <p>States, owned by the thread that opened it: <i>empty</i> ({@code first == 0}), <i>open</i>
 * (holds a chunk that was removed from the thread's cache, taken with a slot or from the space, so
 * nobody else can reach it), <i>grown</i> ({@code chunks != null}; {@code top} and {@code limit}
 * lie in the current one of them), <i>closed</i> ({@code first == CLOSED}, all chunks went back, or
 * go back when the running close ends, and since the lifetime is dead, {@code top} and {@code
 * limit} mean nothing any more). A close that is refused leaves the state as it was. Where the
 * system refuses memory and the pool has no limits, the JDK's memory is used, and chunks again when
 * there are any.
 *
 * <p>Invariants: {@code first <= top <= limit} while open, {@code top == limit == 0} while empty;
 * {@code [top, limit)} reads as zero and is committed; {@code top} is a multiple of {@link
 * #MIN_ALIGNMENT}; segments handed out never overlap, since {@code top} only grows within a chunk.
 *
 * <p>Liveness and thread are checked by the JDK: {@link MemorySegment#reinterpret(long, Arena,
 * java.util.function.Consumer)} throws before {@code top} moves, and {@link Arena#close()} throws
 * before the chunks are touched. So a wrong thread changes nothing, whatever it calls. Cleanup
 * actions run inside the JDK's close, before the chunks are cleared.
 *
 * <p>Written so that compilers remove the arena altogether (scalar replacement), as long as it
 * stays within its first chunk: {@code this} and the lifetime are passed to nothing that may not be
 * inlined, {@link SlabMemory} takes and returns numbers, and the code stays small, because there
 * are bounds on what is inlined. Only what is off that path, {@link #allocateMore} and {@link
 * #closeFailed}, may stay a call, and the arena is an object where it is reached.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class ConfinedArena implements Arena {
    /** What {@code malloc} guarantees and native code relies on, where no alignment was asked. */
    static final long MALLOC_ALIGNMENT = 16;

    /** What every address is a multiple of, whatever alignment was asked. */
    static final long MIN_ALIGNMENT = 8;

    private static final long CLOSED = 1;

    /** In place of the first chunk of an arena that began with others. */
    private static final long NO_FIRST = 2;

    private final SlabMemory memory;
    private final Arena lifetime;
    private final Thread owner;

    /** What is watched in place of the arena; null if it is not. */
    private @Nullable Lease lease;

    /**
     * What the thread keeps at hand, null on virtual threads, once a chunk is taken; before that
     * {@linkplain ThreadTable#guess a guess}, and null where the arena is watched.
     */
    private @Nullable ThreadSlabs cache;

    private long first;
    private long top;
    private long limit;

    /** 0 if there is nothing but a slab, or nothing, and it is not watched: {@link FirstMark}. */
    private int mark;

    /** All chunks, once there is more than the first. */
    private @Nullable ArenaChunks chunks;

    /** Opens an arena of the running thread. */
    ConfinedArena(SlabMemory memory) {
        this.memory = memory;
        this.lifetime = Arena.ofConfined();
        this.owner = Thread.currentThread();
        this.cache = memory.threads().guess(owner);
    }

    /**
     * Opens an arena of the running thread for leak detection.
     *
     * @param lease what is watched in place of it; null if it is not
     */
    ConfinedArena(SlabMemory memory, @Nullable Lease lease) {
        this(memory);
        if (lease != null) {
            this.lease = lease;
            this.mark = FirstMark.WATCHED;
            this.cache = null; // so that its first chunk is not taken behind the back of the lease
        }
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        if (first == Chunk.NONE) {
            takeFirst(byteSize);
        }
        long start = (top + byteAlignment - 1) & -byteAlignment;
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        if (occupied > limit - start) {
            return allocateMore(byteSize, byteAlignment);
        }
        MemorySegment segment =
                MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
        top = (start + occupied + (MIN_ALIGNMENT - 1)) & -MIN_ALIGNMENT;
        return segment;
    }

    /** Allocates what does not fit; liveness and thread come first, so nothing is taken in vain. */
    private MemorySegment allocateMore(long byteSize, long alignment) {
        if (Thread.currentThread() != owner || !lifetime.scope().isAlive()) {
            return lifetime.allocate(byteSize, alignment); // throws
        }
        ArenaChunks all = chunks;
        if (all == null) {
            // Known from now on, whatever comes: an attempt that fails may double the first chunk.
            all = memory.grow(first, top, mark);
            chunks = all;
            mark |= FirstMark.OTHER;
            first = first == Chunk.NONE ? NO_FIRST : first;
        }
        long occupied = Math.max(1, byteSize);
        long start = memory.allocate(all, top, occupied, Math.max(alignment, MIN_ALIGNMENT));
        if (lease != null) {
            lease.holds(all.heldBytes());
        }
        if (start == 0) {
            return lifetime.allocate(byteSize, alignment);
        }
        top = ArenaChunks.alignUp(all.top(), MIN_ALIGNMENT);
        limit = all.limit();
        return MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
    }

    // What follows is what the interface does by default. But a default method is compiled once for
    // all kinds of arenas, and is then too big to be inlined for this one.

    @Override
    public MemorySegment allocate(long byteSize) {
        return allocate(byteSize, MALLOC_ALIGNMENT);
    }

    @Override
    public MemorySegment allocate(MemoryLayout layout) {
        return allocate(layout.byteSize(), layout.byteAlignment());
    }

    @Override
    public MemorySegment allocate(MemoryLayout elementLayout, long count) {
        long elementSize = elementLayout.byteSize();
        long alignment = elementLayout.byteAlignment();
        if ((count | elementSize) >>> 31 != 0 || (elementSize & (alignment - 1)) != 0) {
            return allocateSequence(elementLayout, count);
        }
        return allocate(count * elementSize, alignment);
    }

    /** A sequence that is long, or none: negative, or its elements would not be aligned. */
    private MemorySegment allocateSequence(MemoryLayout elementLayout, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("Negative array size");
        }
        return allocate(MemoryLayout.sequenceLayout(count, elementLayout));
    }

    /** Takes the first chunk for a request that fits into a slab; there may be none. */
    private void takeFirst(long byteSize) {
        SlabMemory slabs = memory;
        long bytes = slabs.slabBytes();
        if (byteSize > bytes || Thread.currentThread() != owner) {
            return; // nothing fits then; where the thread is wrong, the lifetime throws
        }
        ThreadSlabs home = cache;
        if (home == null || home.ownerId() != owner.threadId()) {
            home = slabs.home(owner, lease);
        }
        long taken = home == null ? slabs.takeSlot() : home.take();
        if (taken == Chunk.NONE) {
            taken = slabs.take(home, byteSize, lease);
            if (taken == Chunk.NONE) {
                return;
            }
            mark |= slabs.mark(home, byteSize, taken);
            bytes = slabs.bytesOf(taken);
        }
        cache = home; // not before: a lease is asked again after an attempt that failed
        first = taken;
        top = Chunk.address(taken);
        limit = top + bytes;
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public void close() {
        long given = first;
        if (Thread.currentThread() == owner) {
            first = CLOSED; // now, for cleanup actions that close it once more
        }
        try {
            lifetime.close();
        } catch (Throwable failure) {
            closeFailed(given);
            throw failure;
        }
        give(given);
    }

    /**
     * Opens the arena again if its close was refused; gives its chunks back if this call did close
     * it, and then a cleanup action threw.
     */
    private void closeFailed(long given) {
        if (Thread.currentThread() != owner) {
            return;
        }
        if (lifetime.scope().isAlive()) {
            first = given;
        } else if (given != CLOSED) {
            give(given);
        }
    }

    private void give(long given) {
        if (mark != 0) {
            memory.giveOther(cache, given, chunks, top, mark, lease);
        } else if (given != Chunk.NONE) {
            memory.give(cache, given, top);
        }
    }
}
