package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
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
 * <p>States, owned by the thread that opened it: <i>empty</i> ({@code !begun}), <i>open</i>
 * (holds a chunk that was removed from the thread's cache, taken with a slot or from the space, so
 * nobody else can reach it), <i>grown</i> ({@code chunks != null}; {@code top} and {@code limit}
 * lie in the current one of them, or are 0 where only they know), <i>closed</i> ({@code closing},
 * and the lifetime is dead; all chunks went back, or go back when the running close ends). A close
 * that is refused leaves the state as it was. Where the system refuses memory and the pool has no
 * limits, the JDK's memory is used, and chunks again when there are any.
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
 * <p><b>Errors.</b> What is taken is stored here, and what was given is no more, by stores between
 * which nothing is called. So an allocation that throws has taken nothing that the close would not
 * give back. A close that throws when the lifetime is dead already was <i>cut off</i>: it links the
 * arena at what its thread keeps, first of all in its handler, and the thread's next need of a
 * chunk, a trim, the end of the thread, or one more close ends it.
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

    /** No close has begun. */
    private static final int OPEN = 0;

    /** One has begun, and ended unless it is running. */
    private static final int CLOSING = 1;

    /** One has begun, and did not end; this is linked, if its thread keeps slabs. */
    private static final int CUT_OFF = 2;

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

    /** Whether there was a first chunk, or any other. */
    private boolean begun;

    /** {@link #OPEN}, {@link #CLOSING} or {@link #CUT_OFF}; the owner's alone. */
    private int closing;

    /** The next one of the thread that was cut off. */
    private @Nullable ConfinedArena next;

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
        if (!begun) {
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
            all = memory.grow(first, top, mark);
            if (first == Chunk.NONE && (cache == null || cache.ownerId() != owner.threadId())) {
                cache = memory.home(owner, null); // so that a close that is cut off can be linked
            }
            begun = true;
            chunks = all;
            mark |= FirstMark.OTHER;
            first = Chunk.NONE; // theirs now
        } else if (limit != 0) {
            all.setTop(top);
        }
        top = 0; // until they say where it is: an attempt that is cut off may have moved it
        limit = 0;
        long occupied = Math.max(1, byteSize);
        long start = memory.allocate(all, occupied, Math.max(alignment, MIN_ALIGNMENT));
        if (lease != null) {
            lease.holds(all.heldBytes());
        }
        long newTop = ArenaChunks.alignUp(all.top(), MIN_ALIGNMENT);
        long newLimit = all.limit();
        top = newTop;
        limit = newLimit;
        return start == 0
                ? lifetime.allocate(byteSize, alignment)
                : MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
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
        if (byteSize > bytes || Thread.currentThread() != owner || closing != OPEN) {
            return; // nothing fits then; where thread or time is wrong, the lifetime throws
        }
        ThreadSlabs home = cache;
        if (home == null || home.ownerId() != owner.threadId()) {
            home = slabs.home(owner, lease);
        }
        long taken = home == null ? slabs.takeSlot() : home.take();
        if (taken == Chunk.NONE) {
            home = slabs.keeper(home); // not before: who may not keep has none at hand
            int small = slabs.mark(home, byteSize);
            taken = slabs.take(home, byteSize, lease);
            if (taken == Chunk.NONE) {
                return;
            }
            if ((taken & Chunk.LEVEL_MASK) != 0) { // no slab
                mark |= small;
                bytes = ChunkLevel.ROOT_BYTES >> (taken & Chunk.LEVEL_MASK);
            }
        }
        begun = true;
        cache = home; // not before: a lease is asked again after an attempt that failed
        first = taken;
        top = taken & Chunk.ADDRESS_MASK;
        limit = top + bytes;
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public void close() {
        int before = Thread.currentThread() == owner ? closing : CLOSING;
        if (before != CLOSING) {
            closing = CLOSING; // now, for cleanup actions that close it once more
        }
        try {
            lifetime.close();
            give();
        } catch (Throwable failure) {
            if (before != CLOSING) {
                closing = CUT_OFF;
                closeFailed(before);
            }
            throw failure;
        }
    }

    /**
     * Opens the arena again if its close was refused; gives its chunks back if it is closed, and
     * then a cleanup action threw, or there was no stack left. There is some for this call, since
     * what failed was called from deeper down; and links the arena first, should it not be enough.
     */
    private void closeFailed(int before) {
        ThreadSlabs home = begun ? cache : null;
        if (before == OPEN && home != null) {
            next = home.unfinished;
            home.unfinished = this;
        }
        boolean alive = lifetime.scope().isAlive();
        if (!alive) {
            give();
        }
        if (home == null) {
            closing = alive ? OPEN : CLOSING;
        } else if (home.unfinished == this) { // otherwise it stays linked, with nothing to give
            home.unfinished = next;
            next = null;
            closing = alive ? OPEN : CLOSING;
        }
    }

    /** Ends what was cut off; for the thread that what is kept belongs to, or once it has ended. */
    static void finishAll(ThreadSlabs home) {
        for (ConfinedArena arena = home.unfinished; arena != null; arena = home.unfinished) {
            boolean alive = arena.lifetime.scope().isAlive();
            if (!alive) {
                arena.give();
            }
            home.unfinished = arena.next;
            arena.next = null;
            arena.closing = alive ? OPEN : CLOSING;
        }
    }

    /** Gives everything back; what was given already, by an attempt that was cut off, no more. */
    private void give() {
        if (mark != 0) {
            memory.giveOther(cache, first, chunks, top, limit, mark, lease);
        } else if (first != Chunk.NONE) {
            memory.give(cache, first, top);
        }
        first = Chunk.NONE;
    }
}
