package io.polder.arena;

import io.polder.chunk.Chunk;

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
 * lie in the current one of them), <i>closed</i> ({@code first == CLOSED}, all chunks went back,
 * and since the lifetime is dead, {@code top} and {@code limit} mean nothing any more). Where the
 * system refuses memory and the pool has no limits, the JDK's memory is used, and chunks again when
 * there are any.
 *
 * <p>Invariants: {@code first <= top <= limit} while open, {@code top == limit == 0} while empty;
 * {@code [top, limit)} reads as zero and is committed; segments handed out never overlap, since
 * {@code top} only grows within a chunk.
 *
 * <p>Liveness and thread are checked by the JDK:
 * {@link MemorySegment#reinterpret(long, Arena, java.util.function.Consumer)} throws before
 * {@code top} moves, and {@link Arena#close()} throws before the chunks are touched. So a wrong
 * thread changes nothing, whatever it calls. Cleanup actions run inside the JDK's close, before the
 * slab is cleared.
 *
 * <p>Written so that compilers remove the arena altogether (scalar replacement): {@code this} and
 * the lifetime are passed to nothing that may not be inlined, {@link SlabMemory} takes and returns
 * numbers, and the code stays small, because there are bounds on what is inlined.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class ConfinedArena implements Arena {
    /** What {@code malloc} guarantees and native code relies on, where no alignment was asked. */
    static final long MALLOC_ALIGNMENT = 16;

    private static final long CLOSED = 1;

    private final SlabMemory memory;
    private final Arena lifetime;
    private final Thread owner;

    /** What the thread keeps at hand; null until a chunk is taken, and on virtual threads. */
    private @Nullable ThreadSlabs cache;

    private long first;
    private long top;
    private long limit;

    /** What kind of arena it is to the {@link GrowthHistory}; 0 while it does not matter. */
    private int kind;

    /** When its thread took the first chunk, if that is small; see {@link ThreadSlabs#nextTurn}. */
    private int turn;

    /** All chunks, once there is more than the first. */
    private @Nullable ArenaChunks chunks;

    /** Opens an arena of the running thread. */
    ConfinedArena(SlabMemory memory) {
        this.memory = memory;
        this.lifetime = Arena.ofConfined();
        this.owner = Thread.currentThread();
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        if (first == 0 && byteSize <= memory.slabBytes()) {
            takeFirst(byteSize);
        }
        long alignment = byteAlignment == 1 ? MALLOC_ALIGNMENT : byteAlignment;
        long start = (top + alignment - 1) & -alignment;
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        if (occupied > limit - start) {
            return allocateMore(byteSize, alignment);
        }
        MemorySegment segment =
                MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
        top = start + occupied;
        return segment;
    }

    /** Allocates what does not fit; liveness and thread come first, so nothing is taken in vain. */
    private MemorySegment allocateMore(long byteSize, long alignment) {
        if (Thread.currentThread() != owner || !lifetime.scope().isAlive()) {
            return lifetime.allocate(byteSize, alignment); // throws
        }
        ArenaChunks all = chunks;
        if (all == null) {
            all = memory.grow(first, top, kind);
        }
        long start = memory.allocate(all, top, Math.max(1, byteSize), alignment);
        chunks = all;
        if (start == 0) {
            return lifetime.allocate(byteSize, alignment);
        }
        top = all.top();
        limit = all.limit();
        return MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
    }

    // What follows is what the interface does by default. But a default method is compiled once for
    // all kinds of arenas, and is then too big to be inlined for this one.

    @Override
    public MemorySegment allocate(long byteSize) {
        return allocate(byteSize, 1);
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

    private void takeFirst(long byteSize) {
        Thread current = Thread.currentThread();
        if (current != owner || chunks != null) {
            return; // nothing fits then, and the lifetime throws; or it has chunks, but no first
        }
        cache = memory.threads().find(current);
        long slab = memory.takeKept(cache);
        if (slab != 0) {
            first = slab;
            top = slab;
            limit = slab + memory.slabBytes();
            return;
        }
        kind = GrowthHistory.kind(byteSize);
        turn = cache == null ? 0 : cache.nextTurn();
        long taken = memory.take(cache, byteSize);
        if (taken != Chunk.NONE) {
            first = taken;
            top = Chunk.address(taken);
            limit = top + Chunk.bytes(memory.source().chunk(taken));
        }
    }

    @Override
    public MemorySegment.Scope scope() {
        return lifetime.scope();
    }

    @Override
    public void close() {
        boolean wasAlive = lifetime.scope().isAlive();
        try {
            lifetime.close();
        } catch (Throwable failure) {
            closeFailed(wasAlive);
            throw failure;
        }
        give();
    }

    /** Gives the chunks back if this call did close the arena, and then a cleanup action threw. */
    private void closeFailed(boolean wasAlive) {
        if (wasAlive && Thread.currentThread() == owner && !lifetime.scope().isAlive()) {
            give();
        }
    }

    private void give() {
        long given = first;
        first = CLOSED;
        ArenaChunks all = chunks;
        if (all != null) {
            memory.giveAll(cache, given, all, top);
        } else if (!SlabMemory.isSlab(given)) {
            memory.giveSmall(cache, given, top, turn);
        } else if (given != Chunk.NONE) {
            memory.give(cache, given, top);
        }
    }
}
