package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * An arena of one thread: its lifetime is a fresh confined arena of the JDK, its bytes come from a
 * slab.
 *
 * <pre>{@code
 *   slab              top                          limit
 *    | used, dirty     | free, zero                  |
 *    +-----------------+-----------------------------+
 *    |<----------------  slab bytes  --------------->|     what does not fit: the JDK's memory
 * }</pre>
 *
 * <p>States, owned by the thread that opened it: <i>empty</i> ({@code slab == 0}), <i>open</i>
 * (holds a slab that was removed from the thread's cache or taken with a slot, so nobody else can
 * reach it), <i>closed</i> ({@code slab == CLOSED}, the slab went back,
 * and since the lifetime is dead, {@code top} and {@code limit} mean nothing any more). An arena
 * whose slab could not be had stays empty and asks again.
 *
 * <p>Invariants: {@code slab <= top <= limit} while open, {@code top == limit == 0} while empty;
 * {@code [top, limit)} reads as zero; {@code top} is a multiple of {@link #MIN_ALIGNMENT}; segments
 * handed out never overlap, since {@code top} only grows.
 *
 * <p>Liveness and thread are checked by the JDK: {@link MemorySegment#reinterpret(long, Arena,
 * java.util.function.Consumer)} throws before {@code top} moves, and {@link Arena#close()} throws
 * before the slab is touched. So a wrong thread changes nothing, whatever it calls. Cleanup actions
 * run inside the JDK's close, before the slab is cleared.
 *
 * <p>Written so that compilers remove the arena altogether (scalar replacement): {@code this} and
 * the lifetime are passed to nothing that may not be inlined, {@link SlabMemory} takes and returns
 * numbers, and the code stays small, because there are bounds on what is inlined.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class ConfinedArena implements Arena {
    /** What {@code malloc} guarantees, and native code relies on, whatever alignment was asked. */
    static final long MIN_ALIGNMENT = 16;

    private static final long CLOSED = 1;

    private final SlabMemory memory;
    private final Arena lifetime;
    private final Thread owner;

    /** What the thread keeps at hand; null until a slab is taken, and on virtual threads. */
    private @Nullable ThreadSlabs cache;

    private long slab;
    private long top;
    private long limit;

    /** Opens an arena of the running thread. */
    ConfinedArena(SlabMemory memory) {
        this.memory = memory;
        this.lifetime = Arena.ofConfined();
        this.owner = Thread.currentThread();
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        if (slab == 0 && byteSize <= memory.slabBytes()) {
            takeSlab();
        }
        long start = (top + byteAlignment - 1) & -byteAlignment;
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        if (occupied > limit - start) {
            return lifetime.allocate(byteSize, byteAlignment);
        }
        MemorySegment segment =
                MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
        top = (start + occupied + MIN_ALIGNMENT - 1) & -MIN_ALIGNMENT;
        return segment;
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

    private void takeSlab() {
        Thread current = Thread.currentThread();
        if (current != owner) {
            return; // nothing fits then, and the lifetime throws
        }
        cache = memory.threads().find(current);
        long taken = memory.take(cache);
        if (taken != 0) {
            slab = taken;
            top = taken;
            limit = taken + memory.slabBytes();
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
        giveSlab();
    }

    /** Gives the slab back if this call did close the arena, and then a cleanup action threw. */
    private void closeFailed(boolean wasAlive) {
        if (wasAlive && Thread.currentThread() == owner && !lifetime.scope().isAlive()) {
            giveSlab();
        }
    }

    private void giveSlab() {
        long given = slab;
        slab = CLOSED;
        if (given != 0) {
            memory.give(cache, given, top - given);
        }
    }
}
