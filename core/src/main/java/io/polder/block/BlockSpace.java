package io.polder.block;

import io.polder.chunk.ChunkSpace;
import io.polder.gate.GateFence;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.PageSpace;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Memory in blocks: allocated by any thread, freed by any thread, and in the same place until then.
 *
 * <pre>{@code
 *                 BlockSpace                 the door
 *              /      |      \
 *     SpanOwners      |      LargeBlocks     who runs: what is his   |  a page for each block
 *          |          |           |
 *     ThreadSpans   SpanMap       |          blocks of a thread      |  address --> span
 *          |                      |
 *      EmptySpans                 |          nobody's, for any size
 *          |                      |
 *     ChunkSpace              PageSpace
 * }</pre>
 *
 * <p>A block is a piece of a {@link Span}, all pieces of which have one {@linkplain SizeClass
 * size}. A thread allocates from spans of its own, and frees what lies in them, without an atomic
 * instruction; other threads' frees go to a list of the owner. {@link ThreadSpans} says how, and
 * how it can be reached while its thread sleeps.
 *
 * <p><b>Memory.</b> A span that is empty and not the one that its owner allocates from goes to
 * {@link EmptySpans} at once, and from there to chunks after one to two ticks; so does, at a tick,
 * the one that the owner allocates from. After all is freed and a {@link #trim}, no span is left.
 *
 * <p><b>Misuse.</b> An address where no block begins is refused, always: its span is looked up, and
 * whether a block begins there is found by a multiplication. So is one in a span that is empty.
 *
 * <p><b>Failure.</b> {@link OutOfMemoryError} when a limit or the system is in the way, after all
 * empty spans were given back; nothing has changed then.
 *
 * <p><b>Errors.</b> What throws has not happened: an allocation that throws has allocated nothing,
 * and a free has not freed. What is allocated is so by stores, with nothing called after them.
 *
 * <p>Thread-safe. Order of locks: {@link SpanOwners}, {@link ThreadSpans}, then each of {@link
 * EmptySpans}, {@link SpanMap} and {@link LargeBlocks} before those of chunks and pages.
 */
public final class BlockSpace {
    /** No address space is larger. */
    private static final long ADDRESS_SPACE_BYTES = 1L << 47;

    /** So often room is made for one block, which others may take. */
    static final int ATTEMPTS_MAX = 8;

    /** More than this is not cleared while one is inside without the monitor. */
    private static final long ZERO_INSIDE_BYTES_MAX = 1 << 10;

    /** A block that shrinks to less than this part of itself moves to a smaller one. */
    private static final int SHRINK_SHARE = 2;

    /** A large block that grows gets so much more than is asked for, as a part. */
    private static final int GROWTH_SHARE = 8;

    /** Is told when there is something for {@link #tick} to do. */
    public interface Listener {
        /** Called often, and by any thread; must not throw, nor take long. */
        void somethingFreed();
    }

    private final ChunkSpace chunks;
    private final Exhaustion exhaustion;
    private final Listener listener;
    private final GateFence fence;
    private final SpanMap map;
    private final EmptySpans empties;
    private final LargeBlocks large;
    private final SpanOwners owners;
    private final Moves moves = new Moves();
    private final Segments segments;
    private volatile boolean closed;

    /**
     * A space without memory.
     *
     * @param chunks where spans come from
     * @param pages where large blocks come from
     * @param exhaustion is asked for room before a block is refused, and told when it is
     * @param listener is told when ticks are needed
     * @param fence what takes the place of a fence in each call of an owner
     */
    public BlockSpace(
            ChunkSpace chunks,
            PageSpace pages,
            Exhaustion exhaustion,
            Listener listener,
            GateFence fence) {
        this.chunks = chunks;
        this.exhaustion = exhaustion;
        this.listener = listener;
        this.fence = fence;
        this.map = new SpanMap();
        this.empties = new EmptySpans(chunks, map);
        this.large = new LargeBlocks(pages, map);
        this.owners = new SpanOwners(this);
        this.segments = new Segments(this);
        chunks.share(new EmptyMemory(empties, large, chunks, pages));
    }

    ChunkSpace chunks() {
        return chunks;
    }

    SpanMap map() {
        return map;
    }

    EmptySpans empties() {
        return empties;
    }

    SpanOwners owners() {
        return owners;
    }

    LargeBlocks large() {
        return large;
    }

    /** Whether an owner needs no fence of its own. */
    boolean mayBias() {
        return fence.isAsymmetric() && !closed;
    }

    /** Has all threads pass a full fence. */
    void fenceAll() {
        fence.run();
    }

    /**
     * Allocates a block.
     *
     * @param bytes its size, 0 or more
     * @return its address, a multiple of {@link SizeClass#GRAIN_BYTES}
     * @throws IllegalArgumentException if {@code bytes} is negative
     * @throws OutOfMemoryError if there is no memory for it
     * @throws IllegalStateException if the space is closed
     */
    public long allocate(long bytes) {
        if (bytes < 0 || bytes > SizeClass.BYTES_MAX) {
            return allocateLarge(bytes, false);
        }
        return allocateOf(SizeClass.of(bytes));
    }

    private long allocateOf(int sizeClass) {
        long id = Thread.currentThread().threadId();
        ThreadSpans own = owners.guess(id);
        if (own.isBiasedTo(id)) {
            long block = own.enter(id) ? own.allocate(sizeClass) : 0;
            try {
                own.leave();
            } catch (Throwable inside) {
                // The block is allocated, and its owner inside until its next call.
            }
            if (block != 0) {
                return block;
            }
        }
        return allocateLocking(sizeClass, false);
    }

    private long allocateLocking(int sizeClass, boolean zero) {
        for (int left = ATTEMPTS_MAX; ; left--) {
            checkOpen();
            ThreadSpans own = owners.of(Thread.currentThread());
            MemoryExhaustedException exhausted;
            synchronized (own) {
                try {
                    own.biasLocked();
                    return zero
                            ? own.allocateZeroedLocked(sizeClass)
                            : own.allocateLocked(sizeClass);
                } catch (MemoryExhaustedException refused) {
                    exhausted = refused;
                }
            }
            makeRoom(left, exhausted);
        }
    }

    /** Makes room for another attempt, of which so many are left. */
    void makeRoom(int left, MemoryExhaustedException exhausted) {
        if (left == 0 || !exhaustion.makeRoom()) {
            exhaustion.exhausted(exhausted);
            throw exhausted.toOutOfMemoryError();
        }
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed, and hands out no more memory");
        }
    }

    private long allocateLarge(long bytes, boolean zero) {
        Span span = takeLarge(bytes, zero);
        span.used = 1;
        return span.base;
    }

    Span takeLarge(long bytes, boolean zero) {
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        if (bytes > ADDRESS_SPACE_BYTES) {
            throw new OutOfMemoryError("a block must fit the address space: bytes=" + bytes);
        }
        for (int left = ATTEMPTS_MAX; ; left--) {
            checkOpen();
            MemoryExhaustedException exhausted;
            try {
                return large.take(Math.max(1, bytes), zero);
            } catch (MemoryExhaustedException refused) {
                exhausted = refused;
            }
            makeRoom(left, exhausted);
        }
    }

    /**
     * Allocates a block whose address is a multiple of an alignment.
     *
     * @param bytes its size, 0 or more
     * @param alignment a power of two, at most {@link PageSpace#GRANULE_BYTES}
     * @throws IllegalArgumentException if {@code bytes} is negative, or the alignment not as said
     */
    public long allocate(long bytes, long alignment) {
        checkAlignment(alignment);
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return allocateLarge(bytes, false);
        }
        return allocateOf(SizeClass.of(bytes, alignment));
    }

    private static void checkAlignment(long alignment) {
        if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > PageSpace.GRANULE_BYTES) {
            throw new IllegalArgumentException(
                    "alignment must be a power of two, at most "
                            + PageSpace.GRANULE_BYTES
                            + ": alignment="
                            + alignment);
        }
    }

    /** Allocates a block that reads as zero, in all of its usable size. */
    public long allocateZeroed(long bytes) {
        if (bytes < 0 || bytes > SizeClass.BYTES_MAX) {
            return allocateLarge(bytes, true);
        }
        return allocateZeroedOf(SizeClass.of(bytes));
    }

    /** Does so at a multiple of an alignment, as {@link #allocate(long, long)} does. */
    public long allocateZeroed(long bytes, long alignment) {
        checkAlignment(alignment);
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return allocateLarge(bytes, true);
        }
        return allocateZeroedOf(SizeClass.of(bytes, alignment));
    }

    private long allocateZeroedOf(int sizeClass) {
        long id = Thread.currentThread().threadId();
        ThreadSpans own = owners.guess(id);
        if (own.isBiasedTo(id) && SizeClass.bytes(sizeClass) <= ZERO_INSIDE_BYTES_MAX) {
            long block = own.enter(id) ? own.peek(sizeClass) : 0;
            if (block != 0) {
                block = own.allocateZeroed(sizeClass, block);
            }
            try {
                own.leave();
            } catch (Throwable inside) {
                // As above.
            }
            if (block != 0) {
                return block;
            }
        }
        return allocateLocking(sizeClass, true);
    }

    /**
     * Allocates a block as a segment, which has its bounds and no lifetime.
     *
     * @param bytes its size, 0 or more
     * @param alignment as {@link #allocate(long, long)} has it
     */
    public MemorySegment allocateSegment(long bytes, long alignment) {
        checkAlignment(alignment);
        return segments.allocate(bytes, alignment);
    }

    /**
     * Frees a block.
     *
     * @param address what was returned when it was allocated
     * @throws IllegalArgumentException if no block of this space begins there, or none that may be
     *     used
     */
    public void free(long address) {
        Span span = map.guess(address);
        if (!span.isBlock(address)) {
            span = find(address);
        }
        free(span, address);
    }

    private void free(Span span, long address) {
        ThreadSpans owner = span.owner;
        long id = Thread.currentThread().threadId();
        if (owner.isBiasedTo(id)) {
            boolean freed = owner.enter(id) && span.used > span.attention;
            if (freed) {
                boolean _ = owner.free(span, address);
            }
            try {
                owner.leave();
            } catch (Throwable inside) {
                // What was freed is free, and the owner inside until its next call.
            }
            if (freed) {
                return;
            }
        }
        freeElse(span, address, owner, id);
    }

    private void freeElse(Span span, long address, ThreadSpans owner, long id) {
        if (span.isLarge()) {
            if (!large.free(span)) {
                throw Misuse.refused(map, address);
            }
            try {
                listener.somethingFreed();
            } catch (Throwable later) {
                // It is freed, and the next one tells.
            }
            return;
        }
        if (owner.threadId == id) {
            freeLocking(span, address, owner);
            return;
        }
        if (span.usedOpaque() <= 0) {
            throw Misuse.refused(map, address);
        }
        if (owner.remote().add(address)) {
            try {
                listener.somethingFreed();
            } catch (Throwable later) {
                // As above.
            }
        }
    }

    private void freeLocking(Span span, long address, ThreadSpans owner) {
        synchronized (owner) {
            owner.biasLocked();
            if (span.used <= 0) {
                throw Misuse.refused(map, address);
            }
            if (!owner.free(span, address)) {
                return;
            }
            try {
                owner.retireLocked(span);
                listener.somethingFreed();
            } catch (Throwable later) {
                // It is freed. Who comes next ends the rest.
            }
        }
    }

    private Span find(long address) {
        Span span = map.find(address);
        if (!span.isBlock(address)) {
            throw Misuse.refused(map, address);
        }
        return span;
    }

    /** The span of a block that may be used. */
    private Span usedSpan(long address) {
        Span span = find(address);
        if (span.usedOpaque() <= 0) {
            throw Misuse.refused(map, address);
        }
        return span;
    }

    /**
     * How much may be used of a block: at least what was asked for.
     *
     * @throws IllegalArgumentException if no block of this space begins there
     */
    public long usableSize(long address) {
        return usedSpan(address).blockBytes;
    }

    /**
     * Changes the size of a block, in place where it can be; otherwise it moves, with what is in it
     * as far as it fits.
     *
     * @param address a block; 0 for none, and this is {@link #allocate(long)}
     * @param bytes its new size, 0 or more
     * @return where it is then
     * @throws IllegalArgumentException if no block of this space begins there, or {@code bytes} is
     *     negative; then nothing has changed
     * @throws OutOfMemoryError if there is no memory for it; likewise
     */
    public long reallocate(long address, long bytes) {
        if (address == 0) {
            return allocate(bytes);
        }
        long size = usedSpan(address).blockBytes;
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        boolean smallest = size == SizeClass.GRAIN_BYTES;
        if (bytes <= size && (smallest || bytes >= size / SHRINK_SHARE)) {
            return address;
        }
        boolean growing = size >= SizeClass.BYTES_MAX && bytes > size;
        return moves.move(this, address, growing ? withRoom(bytes) : bytes, Math.min(size, bytes));
    }

    private static long withRoom(long bytes) {
        return Math.max(bytes, Math.min(bytes + bytes / GROWTH_SHARE, ADDRESS_SPACE_BYTES));
    }

    /**
     * Gives all memory back that no block is in.
     *
     * @return how many spans went back to chunks, which a trim of theirs uncommits
     */
    public int trim() {
        moves.settle(this);
        collect(true);
        return large.drain() + empties.drain();
    }

    /**
     * A tick: has the remote lists taken, and gives back to chunks what has been empty since the
     * last one.
     *
     * @return whether there must be another
     */
    public boolean tick() {
        moves.settle(this);
        boolean found = collect(closed);
        large.settle();
        boolean keeps = large.tick();
        return empties.tick() || keeps || found;
    }

    /** Has every owner give up what it does not use; returns whether any had something. */
    private boolean collect(boolean all) {
        boolean found = false;
        for (ThreadSpans owner : owners.all()) {
            if (all || owner.hasMuch()) {
                found |= collect(owner);
            }
        }
        owners.forgetUnused();
        return found;
    }

    private static boolean collect(ThreadSpans owner) {
        synchronized (owner) {
            return owner.revokeLocked() && owner.collectLocked() > 0;
        }
    }

    /** What there is, by size, as far as one can see while threads use it. */
    public List<SizeTotals> sizes() {
        return SizeTotals.of(map);
    }

    /** Hands out no more blocks. Those that are used stay so until they are freed. */
    public void close() {
        closed = true;
        for (ThreadSpans owner : owners.all()) {
            synchronized (owner) {
                boolean _ = owner.revokeLocked(); // nobody is biased again
            }
        }
    }

    /** Checks all invariants; only while no thread uses the space. */
    public void verifyAtRest() {
        new BlockCheck(this).verifyAtRest();
    }
}
