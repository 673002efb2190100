package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Message;
import io.polder.memory.Zeroing;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;

/**
 * Where slabs, chunks and pages of arenas come from and go to: a {@link ChunkSpace}, a {@link
 * PageSpace} for what is larger than a root chunk, and what an arena does when they have nothing.
 *
 * <pre>{@code
 *   a limit is in the way           OutOfMemoryError
 *   the system refuses memory       with limits: the same
 *                                   without: nothing, and the arena goes on with the JDK's memory,
 *                                            as long as that leaves the JVM address space to live
 * }</pre>
 *
 * <p>Before either, it asks for slabs and chunks in caches that nobody will miss.
 *
 * <p>Where nothing can be reserved, the next attempts are spaced out, twice as far after each
 * failure in a row; what is free in the space is had meanwhile.
 *
 * <p>Once it is closed it hands out nothing and takes back what it is given. A thread that looked
 * before gets a chunk more.
 *
 * <p><b>Errors.</b> A method that takes calls nothing after it has taken: what it throws, it has
 * taken nothing. {@link #giveBack} and {@link #giveLarge} that throw have given nothing.
 *
 * <p>Thread-safe: the locks are those of the spaces. The pause is kept by a benign race: a count
 * lost makes it a little longer.
 */
public final class ChunkSource {
    /** Is told what happens, in the thread in which it does, and asked for room. */
    public interface Listener extends Exhaustion {
        /** A thread has slabs of its own now, and may end; called often. */
        default void threadOwnsSlabs() {}
    }

    /** After failures in a row, the system is asked again after so many requests at the latest. */
    static final int PAUSE_MAX = 1024;

    /** How much more than it needs an arena may get, as a part of what it has. Guessed. */
    private static final int SPARE_SHARE = 8;

    /**
     * Before a chunk is taken that is this part of a limit or more, what is kept goes back to the
     * space: so it does not lie where large chunks would merge. Guessed: no slower than to clear
     * such a chunk, and pools whose limit is large never do it.
     */
    private static final int SCARCE_SHARE = 64;

    /** Larger than what any address space has. */
    private static final long LARGE_MAX_BYTES = 1L << 47;

    /**
     * What is cleared at close in any case: it costs less than to clear a window of it later. More
     * may have left the processor's caches, and is fetched once if it is cleared when used again.
     */
    private static final long LITTLE_BYTES = GrowthPolicy.PAGE_BYTES / 2;

    private static final int PAGE_LEVEL = ChunkLevel.fitting(GrowthPolicy.PAGE_BYTES);

    final ChunkSpace space;

    /** Gives a slab to the space; made before, since who does so may have no Java heap left. */
    final LongConsumer giveSlab = this::giveSlab;

    /** Where pages come from. */
    final PageSpace pages;

    /** How its arenas grow. */
    final GrowthHistory growth;

    final int slabLevel;
    private final boolean jdkInstead;

    /** Whether what arenas wrote is cleared when they are closed. */
    final boolean clearsAtClose;

    /** A chunk of this size or more is much of what the limits allow. */
    private final long scarceBytes;

    /** Who is told what happens, and asked for room. */
    final Listener listener;

    /** Whether memory is handed out no more. */
    volatile boolean closed;

    private int failuresInARow;
    private int pause;

    /**
     * What is asked for chunks before more memory is reserved: gives chunks back that are kept in
     * vain, and returns how many; runs with locks held. Set once, before any is handed out.
     */
    IntSupplier reclaim = () -> 0;

    /** Free chunks for the next arenas; null if there is no cache. */
    private @Nullable ChunkCache cache;

    /**
     * A source of chunks and pages.
     *
     * @param space where chunks come from
     * @param pages where pages come from
     * @param slabBytes the size of a slab, a power of two up to {@link ChunkLevel#ROOT_BYTES}
     * @param clearsAtClose whether what arenas wrote is cleared when they are closed, and not when
     *     it is handed out again
     * @param listener is told what happens
     */
    public ChunkSource(
            ChunkSpace space,
            PageSpace pages,
            long slabBytes,
            boolean clearsAtClose,
            Listener listener) {
        this.space = space;
        this.pages = pages;
        this.growth = new GrowthHistory();
        this.slabLevel = ChunkLevel.fitting(slabBytes);
        this.clearsAtClose = clearsAtClose;
        this.jdkInstead = space.limits().isNone();
        this.listener = listener;
        this.scarceBytes = limitBytes() / SCARCE_SHARE;
    }

    /** What the pool may have, of memory and of addresses. */
    long limitBytes() {
        MemoryLimits limits = space.limits();
        return Math.min(limits.committedMaxBytes(), limits.reservedMaxBytes());
    }

    /**
     * Caches chunks from now on. They go back to the space where a limit is in the way of anybody.
     *
     * @param itsCache has them; gives them back to this source
     */
    void cacheIn(ChunkCache itsCache) {
        cache = itsCache;
        space.share(itsCache);
    }

    long slabBytes() {
        return ChunkLevel.bytes(slabLevel);
    }

    void giveSlab(long slab) {
        space.giveAsIs(chunk(slab), 0, slabBytes(), false);
    }

    /** The chunk that a slab is. */
    long chunk(long slab) {
        return Chunk.of(slab, slabLevel);
    }

    /** Whether arenas may have more than they need: a small part of what the limits allow. */
    boolean isAmple() {
        return jdkInstead || space.isAmple();
    }

    /**
     * Takes a chunk of one level from the cache. Where memory is not {@linkplain #isAmple ample},
     * one with more than is needed stays there: the arena would keep that from others.
     *
     * @param bytes how much of it is needed now
     * @param ownedBytes how much the arena has
     * @param ample whether it is
     * @return its word, see {@link ChunkCache}; {@link Chunk#NONE} if there is none
     */
    long takeCached(int level, long bytes, long ownedBytes, boolean ample) {
        ChunkCache cached = cache;
        if (cached == null || closed) {
            return Chunk.NONE;
        }
        long most =
                ample
                        ? Long.MAX_VALUE
                        : bytes + Math.max(GrowthPolicy.PAGE_BYTES, ownedBytes / SPARE_SHARE);
        return cached.take(level, most);
    }

    /**
     * Takes a chunk. One of whole OS pages is wanted to be just that: parts of a page with memory
     * behind it, which would be taken first, do only when there is nothing else.
     *
     * @param preferredLevel the level wanted
     * @param worthLevel the level of the smallest chunk that is worth taking, not less
     * @param smallestLevel the level of the smallest chunk that will do when there is no other, not
     *     less
     * @return its word, see {@link Chunk}; {@link Chunk#NONE} if the system refuses memory and
     *     arenas should use the JDK's
     * @throws OutOfMemoryError if a limit is in the way
     */
    long take(int preferredLevel, int worthLevel, int smallestLevel) {
        checkOpen();
        if (ChunkLevel.bytes(preferredLevel) >= scarceBytes) {
            int _ = reclaim.getAsInt();
        }
        int first = preferredLevel <= PAGE_LEVEL ? Math.min(worthLevel, PAGE_LEVEL) : worthLevel;
        long chunk = space.tryTake(preferredLevel, first);
        if (chunk == Chunk.NONE && pause > 0 && mayUseJdk(ChunkLevel.ROOT_BYTES)) {
            pause--;
            return space.tryTake(preferredLevel, smallestLevel);
        }
        if (chunk == Chunk.NONE && reclaim.getAsInt() > 0) {
            chunk = space.tryTake(preferredLevel, first);
        }
        if (chunk != Chunk.NONE) {
            return chunk;
        }
        try {
            chunk = space.take(preferredLevel, first);
            failuresInARow = 0;
            return chunk;
        } catch (MemoryExhaustedException exhausted) {
            chunk = space.tryTake(preferredLevel, smallestLevel);
            return chunk != Chunk.NONE ? chunk : failed(exhausted);
        }
    }

    /**
     * Refuses where nothing is handed out any more.
     *
     * @throws IllegalStateException if it is closed
     */
    void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "the pool is closed, and hands out no more memory: name=" + space.poolName());
        }
    }

    private boolean mayUseJdk(long bytes) {
        return jdkInstead && space.leavesToJdk(bytes);
    }

    /** Chooses between the JDK's memory and an error. */
    private long failed(MemoryExhaustedException exhausted) {
        if (mayUseJdk(ChunkLevel.ROOT_BYTES)) {
            pause = Math.min(1 << Math.min(failuresInARow, 30), PAUSE_MAX) - 1;
            failuresInARow++;
            return Chunk.NONE;
        }
        throw exhausted.toOutOfMemoryError();
    }

    /** Whether a request is better served by a chunk than by a slab, which must stay zero. */
    boolean isBeyondSlab(long bytes, boolean overwritten) {
        return overwritten && bytes >= Overwriting.BEYOND_SLAB && !clearsAtClose;
    }

    /** Whether a chunk that was used to that length is cleared when its arena is closed. */
    boolean clears(long dirtyBytes) {
        return clearsAtClose || dirtyBytes <= LITTLE_BYTES;
    }

    /**
     * Commits a part of a chunk, and clears nothing.
     *
     * @param from the offset up to which it is committed
     * @param to up to which offset it must be
     * @param ahead up to which offset it should be, not less
     * @return the address up to which it is, and is alike: with {@link Chunk#DIRTY} if that may not
     *     read as zero; 0 if the system refuses memory and arenas should use the JDK's
     * @throws OutOfMemoryError if a limit is in the way
     */
    long commit(long chunk, long from, long to, long ahead) {
        try {
            return Chunk.address(chunk) + space.commitAsIs(chunk, from, ahead);
        } catch (MemoryExhaustedException exhausted) { // then what is needed, no more
            return ahead > to ? commit(chunk, from, to, to) : failed(exhausted);
        }
    }

    /**
     * Takes a chunk back, and caches it if there is a place for it. When it returns, the chunk has
     * left its owner, who says so by a store and then calls {@link #gave}.
     *
     * @param usedBytes how much of it, from its front, may not read as zero
     * @param committedBytes how much of it is committed, from its front
     * @param clears whether to clear what was used; if not, the next owner does
     * @param fromEnd at which end it is cleared first: {@link Zeroing#beginsAtEnd}
     */
    void giveBack(
            long chunk, long usedBytes, long committedBytes, boolean clears, boolean fromEnd) {
        if (clears) {
            Zeroing.zero(Chunk.address(chunk), usedBytes, fromEnd);
        }
        ChunkCache cached = cache;
        if (cached != null
                && !closed
                && committedBytes > 0
                && cached.keep(chunk, committedBytes, !clears)) {
            return;
        }
        space.giveAsIs(chunk, clears ? 0 : usedBytes, committedBytes, false);
    }

    /** Tells those who wait for memory, or give it back to the system, that chunks came. */
    void gave() {
        pages.roomCame();
        listener.memoryFreed();
    }

    /**
     * Makes room for an allocation that failed, as {@link Exhaustion#makeRoom(int, long,
     * MemoryExhaustedException)} does; with no lock held.
     *
     * @return how many attempts are left after the next one
     * @throws OutOfMemoryError if another one is not worth it
     */
    int makeRoom(int left, long endedBefore, OutOfMemoryError failure) {
        if (!(failure.getCause() instanceof MemoryExhaustedException exhausted)) {
            throw failure;
        }
        return listener.makeRoom(left, endedBefore, exhausted);
    }

    /**
     * Allocates the JDK's memory.
     *
     * @return its address
     * @throws OutOfMemoryError if the system refuses that as well
     */
    long allocateOfJdk(Arena memory, long bytes, long alignment) {
        try {
            return memory.allocate(bytes, alignment).address();
        } catch (OutOfMemoryError refused) {
            pause = 0; // room that is made may be in the space
            throw MemoryExhaustedException.refused(refused).toOutOfMemoryError();
        }
    }

    /**
     * Takes a page.
     *
     * @param bytes how much, 1 or more; rounded up to whole granules
     * @param slackBytes how much more, so that it can be aligned
     * @param zero whether it must read as zero
     * @return the page; null if arenas should use the JDK's memory
     * @throws OutOfMemoryError if a limit is in the way, there is no such size, or the machine has
     *     less
     */
    @Nullable Extent takeLarge(long bytes, long slackBytes, boolean zero) {
        if (bytes > LARGE_MAX_BYTES || slackBytes > LARGE_MAX_BYTES - bytes) {
            throw new OutOfMemoryError(
                    Message.of(
                            "an allocation must fit the address space: bytes=%, slackBytes=%",
                            bytes, slackBytes));
        }
        checkOpen();
        try {
            return pages.take(bytes + slackBytes, zero);
        } catch (MemoryExhaustedException exhausted) {
            if (!exhausted.never() && mayUseJdk(bytes)) {
                return null;
            }
            throw exhausted.toOutOfMemoryError();
        }
    }

    /**
     * Takes back a page.
     *
     * @param dirtyBytes how much of it, from its front, may not be zero
     */
    void giveLarge(Extent page, long dirtyBytes) {
        if (clearsAtClose) {
            pages.clean(page, dirtyBytes);
            pages.give(page, 0);
        } else {
            pages.give(page, dirtyBytes);
        }
    }
}
