package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * An arena of one thread: its lifetime is a fresh confined arena of the JDK, its bytes come from a
 * slab that it takes when it is opened, and then from {@linkplain ArenaChunks chunks}.
 *
 * <pre>{@code
 *   first             top                          limit
 *    | used, dirty     | free, zero                  |
 *    +-----------------+-----------------------------+
 *    |<-----------------  the slab  ---------------->|     what does not fit: ArenaChunks
 * }</pre>
 *
 * <p>States, owned by the thread that opened it: <i>open</i> (holds a slab, which it removed from
 * the thread's cache or a slot, so nobody else can reach it); <i>grown</i> ({@code chunks != null}:
 * all it holds, the slab included, is theirs; {@code top} and {@code limit} lie in the current one
 * of them, or are 0 where only they know); <i>empty</i> (neither: there was no slab at hand, and
 * the first allocation makes it grown); <i>closed</i> (the lifetime is dead; everything went back,
 * or goes back when the running close ends). A close that is refused leaves the state as it was.
 * Where the system refuses memory and the pool has no limits, the JDK's memory is used, and chunks
 * again when there are any.
 *
 * <p>Invariants: {@code first <= top <= limit} while open, {@code top == limit == 0} while empty;
 * {@code [top, limit)} reads as zero and is committed; {@code top} is a multiple of {@link
 * #MIN_ALIGNMENT}; segments handed out never overlap, since {@code top} only grows within a chunk.
 *
 * <p>Liveness and thread are checked by the JDK: {@link MemorySegment#reinterpret(long, Arena,
 * java.util.function.Consumer)} throws before a segment is seen, and {@link Arena#close()} throws
 * before the chunks are touched. Before more memory is taken, {@link SlabCache#grow} checks as the
 * JDK does. So a wrong thread changes nothing, whatever it calls. Cleanup actions run inside the
 * JDK's close, before the slab is cleared.
 *
 * <p><b>Errors.</b> What was given is given no more: a slab is, by a store after which nothing
 * throws. An allocation that throws leaves what it took for the close, but for one chunk that was
 * in its hand. A close that throws when the lifetime is dead gives back all the same; where that
 * throws too, what is left stays unavailable: see {@link SlabOwner}. An opening that throws has put
 * the slab back, by a store, or left it there.
 *
 * <p>Written so that compilers remove the arena altogether (scalar replacement), whatever else a
 * program does with arenas: no call that may stay a call gets {@code this} or the lifetime, but for
 * a close in a wrong thread or a second one, which are left out where there are none. What grows
 * and what gives back takes and returns numbers, and objects of its own. The code stays small,
 * because there are bounds on what is inlined.
 */
@SuppressWarnings("restricted") // addresses come from the slab, which the arena owns
final class ConfinedArena implements Arena {
    /** What {@code malloc} guarantees and native code relies on, where no alignment was asked. */
    static final long MALLOC_ALIGNMENT = 16;

    /** What every address is a multiple of, whatever alignment was asked. */
    static final long MIN_ALIGNMENT = 8;

    private final Arena lifetime;

    /**
     * The id of its thread; negative once a close has begun that was not refused. If it is open
     * then, it is in the list, and stays there until it is closed.
     */
    long owner;

    /** What its thread keeps, if it keeps slabs; otherwise the slots, or an owner of its own. */
    final SlabOwner home;

    /** The slab, unless there are chunks; {@link Chunk#NONE} if there is none, or it went back. */
    long first;

    private long top;
    private long limit;

    /** All chunks, once there is more than a slab, or something else: then the slab is theirs. */
    private @Nullable ConfinedChunks chunks;

    /**
     * Whether who allocates next writes to all of it, before anybody can read it. Only the thread
     * of the arena changes this. No code of a program runs between {@link #allocateFrom}, where it
     * becomes true, and {@link #allocate(long, long)}, which looks at it once: see {@link
     * Overwriting}.
     */
    private boolean overwriting;

    /** Whether the {@linkplain ActionOrder order} of cleanup actions has begun. */
    private boolean ordered;

    /** Whether an error ended its opening, so that nobody has it and it is never closed. */
    boolean dropped;

    /**
     * Whether it is in the list, and its thread is closing it: memory is not to be given back under
     * the cleanup actions that run then. Written before the lifetime ends, and read after that.
     */
    private volatile boolean closing;

    /** The next one whose opening or close an error ended; guarded as {@link SlabOwner} says. */
    @Nullable ConfinedArena next;

    /**
     * Opens an arena of the running thread. The slab is taken last: nothing is called after that.
     *
     * <p>The lifetime is made before, so that the arena is new when references are stored into it:
     * then they need no barrier of the garbage collector, which is hundreds of bytes of code.
     *
     * @param guess what the running thread keeps, if the entry is its own; or the arena's own
     *     owner; null if there is neither
     * @param slots where slabs of threads are at home that keep none
     * @param owner the running thread's id
     * @param slabBytes the size of a slab
     */
    ConfinedArena(
            Arena lifetime,
            @Nullable SlabOwner guess,
            SlabSlots slots,
            long owner,
            long slabBytes) {
        this.lifetime = lifetime;
        this.owner = owner;
        long slab;
        if (guess != null && guess.keeperId == owner) {
            home = guess;
            slab = ((ThreadCache) guess).take();
        } else {
            home = slots.home(guess);
            slab = slots.take(guess, owner);
        }
        if (slab != Chunk.NONE) {
            first = slab;
            top = slab;
            limit = slab + slabBytes;
        }
    }

    /**
     * Asks its home whether the slab is its own, where that wants to be asked; to be called when
     * it is opened, if its pool can be closed. What is called gets numbers, and may throw.
     */
    void confirm() {
        VarHandle.acquireFence(); // the slab was taken before this is read
        if (home.attention && home.cache().confirm(home, first) == Chunk.NONE) {
            first = Chunk.NONE;
            top = 0;
            limit = 0;
        }
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        long start = (top + byteAlignment - 1) & -byteAlignment;
        long occupied = Math.max(1, byteSize); // segments of no bytes have addresses of their own
        long end = start + occupied;
        if (occupied > limit - start) {
            for (; ; ) {
                ConfinedChunks all =
                        SlabCache.grow(
                                chunks,
                                home,
                                first,
                                top,
                                occupied,
                                byteAlignment,
                                overwriting,
                                owner);
                chunks = all;
                overwriting = false; // before others run: what they allocate here is cleared
                top = all.top;
                limit = all.limit;
                start = all.start;
                if (start != 0) {
                    break;
                }
                all.makeRoom(); // who does that may allocate here, or close this
            }
            end = top;
        }
        // In a wrong thread, or when the arena is closed, this throws, and nothing was taken.
        MemorySegment segment =
                MemorySegment.ofAddress(start).reinterpret(byteSize, lifetime, null);
        top = (end + (MIN_ALIGNMENT - 1)) & -MIN_ALIGNMENT;
        return segment;
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
        if (((count | elementSize) >>> 31 | (elementSize & (alignment - 1))) != 0) {
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

    @Override
    public MemorySegment allocateFrom(String str) {
        return allocateFrom(str, StandardCharsets.UTF_8);
    }

    @Override
    public MemorySegment allocateFrom(String str, Charset charset) {
        boolean begins =
                Overwriting.isWorth(str, charset) && Thread.currentThread().threadId() == owner;
        long whole = begins ? beginOverwriting(str.length()) : 0;
        try {
            return Arena.super.allocateFrom(str, charset);
        } finally {
            if (begins) { // by stores: the stack may have ended
                limit = overwriting ? whole : limit; // nothing was allocated beyond the slab
                overwriting = false;
            }
        }
    }

    /** Of an array as well. */
    @Override
    public MemorySegment allocateFrom(
            ValueLayout elementLayout,
            MemorySegment source,
            ValueLayout sourceElementLayout,
            long sourceOffset,
            long elementCount) {
        boolean begins =
                elementCount >= Overwriting.LEAST && Thread.currentThread().threadId() == owner;
        long whole = begins ? beginOverwriting(elementCount) : 0;
        try {
            return Arena.super.allocateFrom(
                    elementLayout, source, sourceElementLayout, sourceOffset, elementCount);
        } finally {
            if (begins) { // by stores: the stack may have ended
                limit = overwriting ? whole : limit; // nothing was allocated beyond the slab
                overwriting = false;
            }
        }
    }

    /** Hides what is left of the slab, if any, from what is too long for it; returns the limit. */
    private long beginOverwriting(long elements) {
        long whole = limit;
        overwriting = true;
        if (elements >= Overwriting.BEYOND_SLAB) {
            limit = top;
        }
        return whole;
    }

    @Override
    public MemorySegment.Scope scope() {
        LeakTracker.scopeGiven(home.tracker());
        if (!ordered && Thread.currentThread().threadId() == owner) {
            ActionOrder.begin(lifetime);
            ordered = true;
        }
        return lifetime.scope();
    }

    @Override
    public void close() {
        closeAll();
    }

    /**
     * Does it. HotSpot compares what it has inlined into a method, and the size of what that calls,
     * with a bound, but not what is called there in turn. So {@link #close} is very short: in the
     * method that has opened many arenas it is the call for which there is the least room left.
     */
    private void closeAll() {
        if (Thread.currentThread().threadId() != owner) {
            closeAgain();
            return;
        }
        owner = -owner; // now, for what cleanup actions call
        try {
            lifetime.close();
            SlabCache.give(home, first, top, chunks);
            return;
        } catch (Throwable failure) {
            // Refused, and the arena is open again; or it is closed, and then a cleanup action
            // threw, or there was no stack left, as there may be here.
            try {
                if (lifetime.scope().isAlive()) {
                    owner = -owner;
                } else {
                    SlabCache.give(home, first, top, chunks);
                }
            } catch (Throwable again) { // by stores: the stack may have ended
                SlabOwner at = chunks == null ? home : chunks.home;
                next = at.cutOff;
                at.cutOff = this;
            }
            throw failure;
        }
    }

    /** In a wrong thread, and where it is closed, this throws; otherwise it is in the list. */
    private void closeAgain() {
        boolean listed = Thread.currentThread().threadId() == -owner && lifetime.scope().isAlive();
        try {
            if (listed) {
                closing = true;
                VarHandle.releaseFence();
            }
            lifetime.close();
        } finally {
            if (listed) {
                closing = false;
                int _ = home.cache().drain(); // which ends the list
            }
            if (home instanceof TrackedOwner own) {
                own.endCutOff(); // nobody else knows it
            }
        }
    }

    /**
     * Gives back what an opening or a close that an error ended has left, if it is closed; again
     * gives nothing.
     *
     * @return false if it is open, and its user may close it, or is about to
     */
    boolean giveCutOff() {
        if (!dropped && lifetime.scope().isAlive()) {
            return false;
        }
        VarHandle.acquireFence(); // whether the lifetime has ended was read before this is
        if (closing) {
            return false;
        }
        SlabCache.giveMore(home, first, top, chunks);
        first = Chunk.NONE;
        top = 0;
        chunks = null;
        return true;
    }
}
