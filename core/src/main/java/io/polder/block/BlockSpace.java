package io.polder.block;

import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MapSink;
import io.polder.memory.Zeroing;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Memory in blocks: allocated by any thread, freed by any thread, and in the same place until then.
 *
 * <pre>{@code
 *                 BlockSpace                 what callers use
 *              /      |      \
 *    ThreadHeaps      |      LargeBlocks     the heap of a thread    |  a page for each block
 *          |          |           |
 *     ThreadHeap   SpanMap        |          spans of a thread       |  address --> span
 *          |                      |
 *          +----- EmptySpans -----+          nobody's, for any size
 *          |                      |
 *     ChunkSpace              PageSpace
 * }</pre>
 *
 * <p>A block is a piece of a {@link Span}, all pieces of which have one {@linkplain SizeClass
 * size}. A thread allocates from spans of its own, and frees what lies in them, without an atomic
 * instruction: that is done here. {@link SlowPath} does the rest; other threads' frees go to a list
 * of the span. {@link ThreadHeap} says how, {@link BiasedOwner} how it can be reached while its
 * thread sleeps, and {@link SpanCollector} when it is.
 *
 * <p><b>Memory.</b> A span that is empty goes to {@link EmptySpans} at once, and from there to
 * chunks after one to two ticks; the one that its owner allocates from, and a few of blocks with a
 * span each, go there at a tick. After all is freed and a {@link #trim}, no span is left.
 *
 * <p><b>Misuse.</b> An address where no block begins is refused, always: its span is looked up, and
 * whether a block begins there is found by a multiplication. An address in a span that is empty is
 * refused as well.
 *
 * <p><b>Failure.</b> {@link OutOfMemoryError} when a limit or the system is in the way, after all
 * empty spans were given back; nothing has changed then.
 *
 * <p><b>Errors.</b> A free that throws has freed nothing, so that the program can free again: a
 * block is freed by stores, and nothing after them may throw. An allocation that throws has
 * allocated nothing, or what it had in hand is {@link Lost}.
 *
 * <p>Thread-safe. Order of locks: the {@link ThreadHeap} of the running thread, {@link
 * ThreadHeaps}, one of a thread that has ended; then {@link EmptySpans} and {@link SpanMap}, before
 * those of chunks and pages.
 */
public final class BlockSpace extends Blocks {
    final ChunkSpace chunks;
    final Runnable needsTick;
    final Fences fences;
    final SpanMap map;
    final EmptySpans empties;
    final LargeBlocks large;
    final ThreadHeaps owners;

    private final SpanCollector collector;

    /** That of the owners: one step less to it. */
    private final ThreadHeap[] table;

    private final SlowPath slow;

    /** What can be done without is refused without making room for it, or telling anybody. */
    private final SlowPath quiet;

    /** Gives room to grow, where nothing limits addresses. */
    final SlowPath growing;

    private final Reallocator reallocator = new Reallocator(this, this);
    final Misuse misuse;
    volatile boolean closed;

    /** What looks at blocks, if they are checked. Set before the first block is allocated. */
    volatile @Nullable CheckedBlocks checks;

    /**
     * A space without memory.
     *
     * @param chunks where spans come from
     * @param pages where large blocks come from
     * @param exhaustion is asked for room before a block is refused, and told when it is
     * @param needsTick is run when there is something for {@link #tick} to do: often, and by any
     *     thread; must not throw, nor take long
     * @param fence what takes the place of a fence in each call of an owner
     * @param around says for messages who has the memory at an address where no block is, such as
     *     {@code pages or heaps of this pool}, or nothing; asked with any lock held
     */
    public BlockSpace(
            ChunkSpace chunks,
            PageSpace pages,
            Exhaustion exhaustion,
            Runnable needsTick,
            Runnable fence,
            LongFunction<String> around) {
        super(new Lost());
        this.chunks = chunks;
        this.needsTick = needsTick;
        this.fences = new Fences(fence);
        this.map = new SpanMap();
        this.empties = new EmptySpans(chunks, pages, map, lost);
        this.large = new LargeBlocks(this, pages);
        this.misuse = new Misuse(map, chunks.poolName(), around);
        this.owners = new ThreadHeaps(this);
        this.table = owners.table;
        this.collector = new SpanCollector(this);
        this.slow = new SlowPath(this, exhaustion, false);
        this.quiet = new SlowPath(this, Exhaustion.IGNORED, false);
        this.growing = new SlowPath(this, exhaustion, chunks.hasFreeAddresses());
        chunks.share(empties);
    }

    /** Whether an address lies in memory that blocks have. */
    public boolean contains(long address) {
        return map.covering(address) != Span.NONE;
    }

    /**
     * Whether blocks are carved one by one, as each is allocated, and spans retired as soon as they
     * are empty: where they are checked. So no list goes through memory to which a program may
     * write behind the end of the block before.
     */
    boolean isOneByOne() {
        return checks != null;
    }

    @Override
    public long allocate(long bytes) {
        if (Long.compareUnsigned(bytes, SizeClass.BYTES_MAX) > 0) { // or negative
            return slow.allocateLarge(bytes, false);
        }
        return allocateOf(SizeClass.of(bytes), slow);
    }

    @Override
    long allocateQuietly(long bytes) {
        return bytes > SizeClass.BYTES_MAX
                ? quiet.allocateLarge(bytes, false)
                : allocateOf(SizeClass.of(bytes), quiet);
    }

    /** Allocates what has outgrown its block: it is likely to grow again. */
    long allocateToGrow(long bytes) {
        return bytes > SizeClass.BYTES_MAX
                ? growing.allocateLarge(bytes, false)
                : allocateOf(SizeClass.of(bytes), growing);
    }

    private long allocateOf(int sizeClass, SlowPath slowPath) {
        long id = Thread.currentThread().threadId();
        ThreadHeap own = table[(int) id & (ThreadHeaps.ENTRIES - 1)];
        if (own.enter(id)) {
            Span first = own.current[sizeClass];
            if (first.head != 0) {
                long block = first.take();
                try {
                    own.leave();
                } catch (Throwable inside) {
                    // The block is allocated, and its owner inside until its next call.
                }
                return block;
            }
            own.leave();
        }
        return allocateNext(own, id, sizeClass, slowPath);
    }

    /**
     * Allocates a block where the first span of its class has none. Apart, as {@link #freeOther}
     * is: what a compiler keeps for later, across a call that is rare, it keeps on the stack.
     */
    private static long allocateNext(ThreadHeap own, long id, int sizeClass, SlowPath slowPath) {
        if (own.enter(id)) {
            long block = own.allocate(sizeClass);
            try {
                own.leave();
            } catch (Throwable inside) {
                // As above.
            }
            if (block != 0) {
                return block;
            }
        }
        return slowPath.allocate(sizeClass);
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "the pool is closed, and hands out no more memory: name=" + misuse.poolName());
        }
    }

    @Override
    public long allocate(long bytes, long alignment, boolean zero) {
        checkAlignment(alignment);
        if (bytes < 0 || Math.max(bytes, alignment) > SizeClass.BYTES_MAX) {
            return slow.allocateLarge(bytes, zero);
        }
        int sizeClass = SizeClass.of(bytes, alignment);
        long block = allocateOf(sizeClass, slow);
        if (!zero) {
            return block;
        }
        try {
            Zeroing.zeroExactly(block, map.find(block).blockBytes);
            return block;
        } catch (Throwable failure) {
            lost.blocks++;
            throw failure;
        }
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
    public void free(long address) {
        Span span = map.guess(address);
        if (!span.isBlock(address)) {
            freeOther(find(address), address);
            return;
        }
        long id = Thread.currentThread().threadId();
        ThreadHeap owner = span.owner;
        if (owner.enter(id)) { // if it is another's, that reads what nobody writes to often
            if (span.used > span.attention) {
                span.put(address);
                try {
                    owner.leave();
                } catch (Throwable inside) {
                    // The block is free, and its owner inside until its next call.
                }
                return;
            }
            owner.leave();
        }
        freeOther(span, address);
    }

    /**
     * Frees a block of another thread's, or one whose span is to be listed or left.
     *
     * <p>Of another thread's it is freed by itself, or with others of its span in a row.
     */
    private void freeOther(Span span, long address) {
        long id = Thread.currentThread().threadId();
        ThreadHeap own = table[(int) id & (ThreadHeaps.ENTRIES - 1)];
        boolean inARow = true;
        if (own.threadId == id && span.owner != own && own.batch.span != span) {
            inARow = own.batch.isInARow(span);
        } else if (own.enter(id)) {
            boolean freed =
                    span.owner == own
                            ? own.tryFree(span, address)
                            : own.batch.tryAdd(span, address);
            try {
                own.leave();
            } catch (Throwable inside) {
                // As above.
            }
            if (freed) {
                return;
            }
        }
        slow.free(span, address, id, inARow);
    }

    /** The span of an address where a block begins, used or free. */
    Span find(long address) {
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
    long resize(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        long size = usedSpan(address).blockBytes;
        return reallocator.resize(address, size, size, bytes, made);
    }

    /** Makes a block longer where it is; returns whether it has so many bytes now. */
    boolean extend(long address, long bytes) {
        Span span = usedSpan(address);
        if (span.isLarge()) {
            return bytes <= SlowPath.ADDRESS_SPACE_BYTES && large.extend(span, bytes);
        }
        ThreadHeap owner = span.owner;
        long whose = owner.threadId;
        boolean byMonitor =
                whose == ThreadHeap.SHARED || whose == Thread.currentThread().threadId();
        if (bytes > ChunkLevel.ROOT_BYTES || !byMonitor) {
            return false;
        }
        synchronized (owner) { // not biased by that: its next free may be the last, and is to tell
            return !closed && owner.extendLocked(span, SizeClass.of(bytes));
        }
    }

    /**
     * Whether a thread is inside that could not be revoked: it may be about to free a block, of
     * which it tells nobody. Each of its next calls finds that it was revoked.
     */
    public boolean isAnybodyInside() {
        return !collector.revokeAll();
    }

    /** Whether there are spans: some block may be used, and somebody may know its address. */
    public boolean hasSpans() {
        return !map.spans().isEmpty();
    }

    /**
     * Gives all memory back that no block is in.
     *
     * @return how many bytes of it may have had memory
     */
    public long trim() {
        boolean _ = leave(true);
        boolean _ = collector.collect();
        return empties.drain();
    }

    /**
     * A tick: takes what other threads freed, and gives back to chunks what has been empty since
     * the last one.
     *
     * @return whether there must be another
     */
    public boolean tick() {
        boolean waits = leave(false);
        boolean found = collector.collect();
        return empties.tick() || found || waits;
    }

    private boolean leave(boolean all) {
        CheckedBlocks its = checks;
        return its != null && its.leave(all);
    }

    /** A misuse that was found and nobody was told of yet; null if there is none. */
    public @Nullable RuntimeException untold() {
        CheckedBlocks its = checks;
        return its == null ? null : its.untold();
    }

    /** What errors lost: see {@link SpanCollector#lost}. */
    public Lost lost() {
        CheckedBlocks its = checks;
        return its == null ? collector.lost() : its.lost(collector);
    }

    /** What there is, by size, as far as one can see while threads use it. */
    public List<SizeTotals> sizes() {
        return SizeTotals.of(map, owners.all());
    }

    /** Tells of the spans; says nothing if there are none. */
    public void map(MapSink sink) {
        BlockMap.of(map, sink);
    }

    /** Hands out no more blocks. Those that are used stay so until they are freed. */
    public void close() {
        closed = true;
        boolean _ = collector.revokeAll(); // nobody is biased again
        boolean _ = collector.handOver();
    }
}
