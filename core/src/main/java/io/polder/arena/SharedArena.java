package io.polder.arena;

import io.polder.memory.Zeroing;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An arena of all threads: its lifetime is a shared arena of the JDK, its bytes come from a slab
 * until that is used up, then from the JDK. The slab comes from {@link SlabSource}: shared arenas
 * live long, and would keep those away that others exchange; next to their close, a lock is cheap.
 *
 * <p>States: <i>empty</i> ({@code top == 0}), <i>open</i> (holds a slab), <i>closed</i> ({@code
 * released}). The layout of the slab is that of {@link ConfinedArena}.
 *
 * <p>Closing is the JDK's: it stops every access by a handshake with all threads, and then runs the
 * actions registered with the lifetime, the one registered first at the end. That one is ours,
 * registered before anybody can know the arena: it clears the slab and gives it back, after every
 * action of the user's, also when some of them threw, and exactly once, however many threads close
 * at the same time. An {@link Error} of an action ends the JDK's close at once; the close here then
 * does what ours would have done, unless another close is under way.
 *
 * <p>Locking: {@link #lock} guards taking and releasing the slab. Allocation is without it: {@code
 * top} moves by compare-and-set, after the JDK has checked that the lifetime is alive. The close
 * may come between the two; then the segment returned is already dead, and moving {@code top} of a
 * slab given back changes nothing that anybody reads.
 *
 * <p>Invariants: {@code slab <= top}; {@code [top, limit)} reads as zero; {@code top} only grows
 * until it is set for the last time; {@code slab} and {@code limit} are written once, before {@code
 * top} is first set.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class SharedArena implements Arena {
    private static final VarHandle TOP;
    private static final VarHandle CLOSING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(SharedArena.class, "top", long.class);
            CLOSING = lookup.findVarHandle(SharedArena.class, "closing", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final SlabMemory memory;
    private final Arena lifetime;
    private final Object lock = new Object();

    private boolean released;
    private long slab;
    private long limit;
    private volatile long top;

    /** How many calls of {@link #close} are under way. */
    @SuppressWarnings("unused") // through CLOSING
    private volatile int closing;

    /** Opens an arena of all threads. */
    SharedArena(SlabMemory memory) {
        this.memory = memory;
        this.lifetime = Arena.ofShared();
        MemorySegment.NULL.reinterpret(0, lifetime, ignored -> release());
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        if (occupied > memory.slabBytes() || (top == 0 && !takeSlab())) {
            return lifetime.allocate(byteSize, byteAlignment);
        }
        while (true) {
            long from = top;
            long start = (from + byteAlignment - 1) & -byteAlignment;
            if (occupied > limit - start) {
                return lifetime.allocate(byteSize, byteAlignment);
            }
            MemorySegment segment =
                    MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
            long to = alignUp(start + occupied);
            if (TOP.compareAndSet(this, from, to)) {
                return segment;
            }
        }
    }

    private static long alignUp(long address) {
        return (address + ConfinedArena.MIN_ALIGNMENT - 1) & -ConfinedArena.MIN_ALIGNMENT;
    }

    /** Makes sure that there is a slab; returns false if there is none to be had. */
    private boolean takeSlab() {
        synchronized (lock) {
            if (top != 0) {
                return true;
            }
            if (released) {
                return false; // and the lifetime throws
            }
            long taken = memory.takeFromSource();
            if (taken == 0) {
                return false;
            }
            slab = taken;
            limit = taken + memory.slabBytes();
            top = taken;
            return true;
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
            // the lifetime, and its handshake may still be under way: then the slab is lost.
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
            if (slab != 0) {
                Zeroing.zero(slab, top - slab);
                memory.source().give(slab);
            }
        }
    }
}
