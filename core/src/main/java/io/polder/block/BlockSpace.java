package io.polder.block;

import io.polder.chunk.ChunkSpace;
import io.polder.gate.GateFence;
import io.polder.memory.Exhaustion;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Memory in blocks: allocated by any thread, freed by any thread, and in the same place until then.
 *
 * <pre>{@code
 *                 BlockSpace                 what callers use
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
 * instruction: that is done here. {@link SlowPath} does the rest; other threads' frees go to a list
 * of the owner. {@link ThreadSpans} says how, and {@link BiasedOwner} how it can be reached while
 * its thread sleeps.
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
public final class BlockSpace extends Blocks {
    /** More than this is not cleared while one is inside without the monitor. */
    private static final long ZERO_INSIDE_BYTES_MAX = 1 << 10;

    /** Is told when there is something for {@link #tick} to do. */
    public interface Listener {
        /** Called often, and by any thread; must not throw, nor take long. */
        void somethingFreed();
    }

    /** So often owners are revoked to see whether they rest: guessed, next to a fence of each. */
    private static final long REST_NANOS = 100_000_000;

    private final ChunkSpace chunks;
    private final GateFence fence;
    private final SpanMap map;
    private final EmptySpans empties;
    private final LargeBlocks large;
    private final SpanOwners owners;

    /** That of the owners: one step less to it. */
    private final ThreadSpans[] table;

    private final SlowPath slow;

    /** What can be done without is refused without making room for it, or telling anybody. */
    private final SlowPath quiet;

    private final Moves moves = new Moves(this);
    private final Segments segments;
    private final Misuse misuse;
    private volatile boolean closed;

    /** When owners are to be revoked next; of ticks and trims, whose race costs a fence. */
    private long restNanos = System.nanoTime();

    /** Whether no list is to go through memory that nobody allocated yet. */
    private volatile boolean oneByOne;

    /**
     * A space without memory.
     *
     * @param chunks where spans come from
     * @param pages where large blocks come from
     * @param exhaustion is asked for room before a block is refused, and told when it is
     * @param listener is told when ticks are needed
     * @param fence what takes the place of a fence in each call of an owner
     * @param around what else there is, for messages
     */
    public BlockSpace(
            ChunkSpace chunks,
            PageSpace pages,
            Exhaustion exhaustion,
            Listener listener,
            GateFence fence,
            Surroundings around) {
        this.chunks = chunks;
        this.fence = fence;
        this.map = new SpanMap();
        this.empties = new EmptySpans(chunks, map);
        this.large = new LargeBlocks(pages, map, listener);
        this.misuse = new Misuse(map, large, chunks.poolName(), around);
        this.owners = new SpanOwners(this);
        this.table = owners.table();
        this.slow = new SlowPath(this, exhaustion, listener);
        this.quiet = new SlowPath(this, Exhaustion.IGNORED, listener);
        this.segments = new Segments(this, slow);
        chunks.share(new EmptyMemory(empties, large, chunks, pages));
    }

    ChunkSpace chunks() {
        return chunks;
    }

    SlowPath slow() {
        return slow;
    }

    SpanMap map() {
        return map;
    }

    Misuse misuse() {
        return misuse;
    }

    /** Whether an address lies in memory that blocks have. */
    public boolean contains(long address) {
        return misuse.find(address) != Span.NONE;
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

    /**
     * Has blocks made one by one from now on, as each is allocated, and spans given up as soon as
     * they are empty. So no list goes through the memory of whoever may be written to behind the
     * end of a block before it. To be called before the first block is allocated.
     */
    void makeOneByOne() {
        oneByOne = true;
    }

    boolean isOneByOne() {
        return oneByOne;
    }

    /** Whether an owner needs no fence of its own. */
    boolean mayBias() {
        return fence.isAsymmetric() && !closed;
    }

    /** Has all threads pass a full fence. */
    void fenceAll() {
        fence.run();
    }

    @Override
    public long allocate(long bytes) {
        if (bytes < 0 || bytes > SizeClass.BYTES_MAX) {
            return slow.allocateLarge(bytes, false);
        }
        return allocateOf(SizeClass.of(bytes));
    }

    @Override
    long allocateQuietly(long bytes) {
        return bytes > SizeClass.BYTES_MAX
                ? quiet.allocateLarge(bytes, false)
                : allocateOf(SizeClass.of(bytes), quiet);
    }

    private long allocateOf(int sizeClass) {
        return allocateOf(sizeClass, slow);
    }

    private long allocateOf(int sizeClass, SlowPath slowPath) {
        long id = Thread.currentThread().threadId();
        ThreadSpans own = guess(id);
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
        return slowPath.allocate(sizeClass, false);
    }

    /** What a thread may have; believed if it is biased to it. */
    private ThreadSpans guess(long id) {
        ThreadSpans[] all = table;
        return all[(int) id & (all.length - 1)];
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "the pool is closed, and hands out no more memory: name=" + misuse.poolName);
        }
    }

    @Override
    public long allocate(long bytes, long alignment) {
        checkAlignment(alignment);
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return slow.allocateLarge(bytes, false);
        }
        return allocateOf(SizeClass.of(bytes, alignment));
    }

    static void checkAlignment(long alignment) {
        if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > PageSpace.GRANULE_BYTES) {
            throw new IllegalArgumentException(
                    "alignment must be a power of two, at most "
                            + PageSpace.GRANULE_BYTES
                            + ": alignment="
                            + alignment);
        }
    }

    @Override
    public long allocateZeroed(long bytes) {
        if (bytes < 0 || bytes > SizeClass.BYTES_MAX) {
            return slow.allocateLarge(bytes, true);
        }
        return allocateZeroedOf(SizeClass.of(bytes));
    }

    @Override
    public long allocateZeroed(long bytes, long alignment) {
        checkAlignment(alignment);
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return slow.allocateLarge(bytes, true);
        }
        return allocateZeroedOf(SizeClass.of(bytes, alignment));
    }

    private long allocateZeroedOf(int sizeClass) {
        long id = Thread.currentThread().threadId();
        ThreadSpans own = guess(id);
        if (own.isBiasedTo(id) && mayClearInside(sizeClass)) {
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
        return slow.allocate(sizeClass, true);
    }

    /** Whether blocks of a class are cleared without the monitor: what is held up is little. */
    static boolean mayClearInside(int sizeClass) {
        return SizeClass.bytes(sizeClass) <= ZERO_INSIDE_BYTES_MAX;
    }

    @Override
    public MemorySegment allocateSegment(long bytes, long alignment) {
        checkAlignment(alignment);
        return segments.allocate(bytes, alignment, false);
    }

    @Override
    public MemorySegment allocateZeroedSegment(long bytes, long alignment) {
        checkAlignment(alignment);
        return segments.allocate(bytes, alignment, true);
    }

    @Override
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
            int used = owner.enter(id) ? span.used : 0;
            if (used > span.attention) {
                ThreadSpans.freeListed(span, address, used);
                try {
                    owner.leave();
                } catch (Throwable inside) {
                    // What was freed is free, and the owner inside until its next call.
                }
                return;
            }
            if (freeUnlisted(owner, span, address, used)) {
                return;
            }
        }
        slow.free(span, address, owner, id);
    }

    /** Frees where the span was full, and leaves; returns false if there is more to do. */
    private static boolean freeUnlisted(ThreadSpans owner, Span span, long address, int used) {
        boolean freed = used > 1 && !span.listed;
        if (freed) {
            boolean _ = owner.free(span, address);
        }
        try {
            owner.leave();
        } catch (Throwable inside) {
            // As above.
        }
        return freed;
    }

    private Span find(long address) {
        Span span = map.find(address);
        if (!span.isBlock(address)) {
            throw misuse.refused(address);
        }
        return span;
    }

    /** The span of a block that may be used. */
    private Span usedSpan(long address) {
        Span span = find(address);
        if (span.usedOpaque() <= 0) {
            throw misuse.refused(address);
        }
        return span;
    }

    @Override
    public long usableSize(long address) {
        return usedSpan(address).blockBytes;
    }

    @Override
    public long reallocate(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        return address == 0
                ? allocate(bytes)
                : moves.resize(address, usedSpan(address).blockBytes, bytes, made);
    }

    /** Whether there are spans: some block may be used, and somebody may know its address. */
    public boolean hasSpans() {
        return map.hasAny();
    }

    @Override
    public int trim() {
        moves.reclaim();
        boolean collected = false;
        for (ThreadSpans owner : owners.all()) {
            if (owner.hasMuch()) {
                collected |= collect(owner);
            }
        }
        if (collected) {
            owners.forgetUnused();
        }
        return large.drain(Long.MAX_VALUE) + empties.drain();
    }

    @Override
    public boolean tick() {
        moves.reclaim();
        boolean found = collect();
        large.reclaim();
        boolean keeps = large.tick();
        return empties.tick() || keeps || found;
    }

    /**
     * Has every owner give up what it does not use. An owner that calls nothing is left revoked: so
     * its next call tells of itself, and ticks can end.
     *
     * @return whether any has something still that it may free without telling anybody
     */
    private boolean collect() {
        boolean found = false;
        long now = System.nanoTime();
        boolean rest = now - restNanos >= 0;
        if (rest) {
            restNanos = now + REST_NANOS;
        }
        for (ThreadSpans owner : owners.all()) {
            if (closed || owner.hasMuch()) {
                found |= collect(owner);
            }
            synchronized (owner) { // who added a span under it, and woke the task, is seen
                found |= owner.spanCountLocked() > 0 && (!rest || owner.letRestLocked());
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

    /** The spans as text; empty if there are none. */
    public String mapText() {
        return BlockMap.of(map);
    }

    @Override
    public void close() {
        closed = true;
        for (ThreadSpans owner : owners.all()) {
            synchronized (owner) {
                boolean _ = owner.revokeLocked(); // nobody is biased again
            }
        }
    }
}
