package io.polder.arena;

import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

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
 * reach it), <i>closed</i> ({@code slab == CLOSED}, the slab went back). An arena whose slab could
 * not be had stays empty and asks again.
 *
 * <p>Invariants: {@code slab <= top <= limit} while open, else {@code top == limit == 0}; {@code
 * [top, limit)} reads as zero; {@code top} is a multiple of {@link #MIN_ALIGNMENT}; segments handed
 * out never overlap, since {@code top} only grows.
 *
 * <p>Liveness and thread are checked by the JDK: {@link MemorySegment#reinterpret(long, Arena,
 * java.util.function.Consumer)} throws before {@code top} moves, and {@link Arena#close()} throws
 * before the slab is touched. So a wrong thread changes nothing, whatever it calls. Cleanup actions
 * run inside the JDK's close, before the slab is cleared.
 *
 * <p>Written so that compilers remove the arena altogether (scalar replacement): {@code this} and
 * the lifetime are passed to nothing that is not inlined, slow paths take and return numbers, and
 * the code stays small, because beyond a number of nodes nothing is inlined any more.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class ConfinedArena implements Arena {
    /** What {@code malloc} guarantees, and native code relies on, whatever alignment was asked. */
    static final long MIN_ALIGNMENT = 16;

    private static final long CLOSED = 1;

    private final SlabMemory memory;
    private final Arena lifetime;
    private final Thread owner;

    /** Where the slab goes back to: the thread's cache, or else {@link #slot}. */
    private @Nullable ThreadSlabs cache;

    private int slot;

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
        Objects.requireNonNull(elementLayout);
        if (count < 0) {
            throw new IllegalArgumentException("Negative array size");
        }
        return allocate(MemoryLayout.sequenceLayout(count, elementLayout));
    }

    private void takeSlab() {
        Thread thread = Thread.currentThread();
        if (thread != owner) {
            return; // nothing fits then, and the lifetime throws
        }
        ThreadSlabs found = memory.threads().find(thread);
        long taken;
        if (found != null) {
            cache = found;
            taken = found.take();
            if (taken == 0) {
                taken = memory.takeFromSource();
            }
        } else {
            slot = memory.takeSlot(thread.threadId());
            taken = slot >= 0 ? memory.slots().slab(slot) : memory.takeFromSource();
        }
        slab = taken;
        top = taken;
        limit = taken == 0 ? 0 : taken + memory.slabBytes();
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
            if (wasAlive && Thread.currentThread() == owner && !lifetime.scope().isAlive()) {
                giveSlab(); // this call did close it, and then a cleanup action threw
            }
            throw failure;
        }
        giveSlab();
    }

    private void giveSlab() {
        long given = slab;
        slab = CLOSED;
        if (given != 0) {
            Zeroing.zero(given, top - given);
            top = 0;
            limit = 0;
            ThreadSlabs home = cache;
            if (home == null) {
                memory.give(slot, given);
            } else if (!home.give(given)) {
                memory.source().give(given);
            }
        }
    }
}
