package io.polder.arena;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;

import java.util.Arrays;

/**
 * The chunks of an arena that outgrew its first one.
 *
 * <pre>{@code
 *   chunk 0    | used           | room                                |    the arena's first
 *   chunk 1    | used                                     | room      |    retired: has room left
 *   chunk 2    | used | room                                          |    current
 *
 *   pages      | for what is larger than a root chunk: ArenaPages     |
 * }</pre>
 *
 * <p>The arena allocates from the current chunk by itself, up to {@link #currentLimit}, and comes
 * here when that is used up. Then, in this order: more of the current chunk is cleared or
 * committed, as {@link ChunkRanges} says; the room left in a retired chunk is used, the smallest
 * that will do, in the {@link #LOOK_AT} chunks taken last; the current chunk is doubled in place,
 * unless the arena began with a slab; a chunk is taken, as large as {@link GrowthPolicy} says, from
 * the {@link ChunkCache} if that has one. Of the chunk that served the request and the one that was
 * current, the one with more room is current afterwards, the other is retired.
 *
 * <p>Invariants: those of {@link ChunkRanges}; {@code owned} is the size of all chunks.
 *
 * <p><b>Errors.</b> A chunk belongs to the arena from the moment it is taken: by stores, before
 * anything else is called. So a request that fails, whatever is thrown, has allocated nothing and
 * lost nothing; a chunk that it took or doubled may stay, to be used by the next one and given back
 * with the others. Giving back removes each chunk once it is given, and goes on where an error
 * ended it.
 *
 * <p>Not thread-safe: a confined arena uses it in its thread, a shared one under its lock.
 */
sealed class ArenaChunks extends ChunkRanges permits ConfinedChunks {
    /** So many chunks are looked at for room, those that were taken last. */
    private static final int LOOK_AT = 16;

    /** A chunk for fewer requests than this would be left half empty; guessed. */
    private static final long WORTH_REQUESTS = 8;

    /** Whether the first chunk is a slab, which keeps its size; not every chunk of that size is. */
    boolean slabFirst;

    /** The chunk that the arena allocates from by itself; -1 if there is none. */
    int current = -1;

    private final ArenaPages pages;

    /** What kind of arena it is to the {@link GrowthHistory}. */
    int kind;

    /** The size of all chunks. */
    long ownedBytes;

    /** Of an arena that has no chunk yet. */
    ArenaChunks(ChunkSource source) {
        super(source);
        this.pages = new ArenaPages(source);
    }

    /**
     * Begins with a slab.
     *
     * @param slab its chunk, committed as a whole
     * @param top the address of its first free byte
     */
    final void begin(long slab, long top) {
        ownedBytes = Chunk.bytes(slab);
        slabFirst = true;
        words[0] = slab;
        words[TOP] = top;
        words[LIMIT] = Chunk.address(slab) + ownedBytes;
        words[COMMITTED] = words[LIMIT];
        count = 1;
        current = 0;
    }

    /**
     * Says where the first free byte of the current chunk is, for an arena that allocated from that
     * by itself since the last request here. Once chunks were given back it does nothing.
     */
    final void setTop(long top) {
        if (current >= 0 && words[current * STRIDE] != Chunk.NONE) {
            words[current * STRIDE + TOP] = top;
        }
    }

    /**
     * Finds room for a request that does not fit what the arena has of the current chunk. What the
     * arena used of that one was said by {@link #setTop}.
     *
     * @param bytes the size, 1 or more
     * @param alignment a power of two
     * @param overwritten whether the caller will write to all of it before anybody reads it, so
     *     that it need not be zero
     * @return its address; 0 if the system refuses memory and the arena should use the JDK's
     * @throws OutOfMemoryError if a limit is in the way, or there is no such size
     */
    long allocate(long bytes, long alignment, boolean overwritten) {
        boolean asIs = overwritten && !source.clearsAtClose;
        if (Math.max(bytes, alignment) > ChunkLevel.ROOT_BYTES) {
            return pages.allocate(bytes, alignment, asIs);
        }
        boolean beyond = slabFirst && current == 0 && source.isBeyondSlab(bytes, overwritten);
        int index = beyond ? -1 : find(bytes, alignment);
        if (index < 0) {
            index = enlarge(bytes, alignment);
        }
        if (index < 0) {
            return allocateInNew(bytes, alignment, asIs);
        }
        long start = alignUp(words[index * STRIDE + TOP], alignment);
        if (!cut(index, start + bytes, asIs, ownedBytes)) {
            return 0;
        }
        if (index != current) {
            served(index);
        }
        return start;
    }

    /** The size of all chunks and pages. */
    long heldBytes() {
        return ownedBytes + pages.bytes();
    }

    /** The address of the first free byte of the current chunk; 0 if there is none. */
    long currentTop() {
        return current < 0 ? 0 : words[current * STRIDE + TOP];
    }

    /** Up to which address the arena may use the current chunk; 0 if there is none. */
    long currentLimit() {
        return current < 0 ? 0 : words[current * STRIDE + LIMIT];
    }

    /**
     * The current chunk if it has room, else the one of the last with the least room that will do,
     * else -1.
     */
    private int find(long bytes, long alignment) {
        if (current >= 0 && fits(current, bytes, alignment)) {
            return current;
        }
        int best = -1;
        for (int index = Math.max(0, count - LOOK_AT); index < count; index++) {
            if (fits(index, bytes, alignment) && (best < 0 || room(index) < room(best))) {
                best = index;
            }
        }
        return best;
    }

    /**
     * Doubles the current chunk where it is: within an OS page as often as is needed, above that
     * once, if one step of growth allows it.
     *
     * @return the current chunk if there is room in it now, else -1
     */
    private int enlarge(long bytes, long alignment) {
        if (current < 0 || slabFirst || source.closed) {
            return -1;
        }
        long size = Chunk.bytes(words[current * STRIDE]);
        long start = alignUp(words[current * STRIDE + TOP], alignment);
        long needed = start + bytes - Chunk.address(words[current * STRIDE]);
        long most =
                size < GrowthPolicy.PAGE_BYTES
                        ? GrowthPolicy.PAGE_BYTES
                        : size > GrowthPolicy.nextBytes(ownedBytes) ? size : 2 * size;
        if (needed > most) {
            return -1;
        }
        int at = current * STRIDE;
        while (size < needed) {
            long enlarged = source.space.enlarge(words[at]);
            if (enlarged == Chunk.NONE) {
                return -1;
            }
            // It is the arena's now, by stores alone.
            long end = (words[at] & Chunk.ADDRESS_MASK) + size;
            words[at] = enlarged & Chunk.MASK;
            if (words[at + COMMITTED] == end) {
                end += enlarged >>> Chunk.COMMITTED_SHIFT << Chunk.UNIT_SHIFT;
                boolean zero = words[at + LIMIT] == words[at + COMMITTED];
                words[at + COMMITTED] = end;
                words[at + LIMIT] = zero && (enlarged & Chunk.DIRTY) == 0 ? end : words[at + LIMIT];
            }
            ownedBytes += size;
            grew(ownedBytes - size, size);
            size *= 2;
        }
        return current;
    }

    private long allocateInNew(long bytes, long alignment, boolean asIs) {
        int fitting = ChunkLevel.fitting(Math.max(bytes, alignment));
        boolean ample = source.isAmple();
        int wanted = Math.min(ChunkLevel.fitting(nextBytes(bytes, ample)), fitting);
        long before = ownedBytes;
        makeRoom();
        if (!takeChunk(wanted, fitting, bytes, ample, asIs)) {
            return 0;
        }
        int index = count - 1;
        grew(before, ownedBytes - before);
        served(index);
        return Chunk.address(words[index * STRIDE]);
    }

    /**
     * Begins with a slab that nobody had; there is no chunk yet.
     *
     * @return false if the system refuses memory
     * @throws OutOfMemoryError if a limit is in the way
     */
    final boolean beginWithNewSlab() {
        int level = source.slabLevel;
        if (!takeChunk(level, level, source.slabBytes(), true, false)) {
            return false;
        }
        words[TOP] = words[0] & Chunk.ADDRESS_MASK; // nothing of it is handed out yet
        slabFirst = true;
        current = 0;
        return true;
    }

    /**
     * Takes a chunk, from the cache if that has one of the level that is wanted, and hands out the
     * front of it: it is the last one of the arena then.
     *
     * @param fitting the level of the smallest chunk that will do
     * @param bytes how much of it is handed out
     * @param ample what {@link ChunkSource#isAmple} said
     * @param asIs whether that need not read as zero
     * @return false if the system refuses memory
     */
    private boolean takeChunk(int wanted, int fitting, long bytes, boolean ample, boolean asIs) {
        long before = ownedBytes;
        long taken = source.takeCached(wanted, bytes, before, ample);
        if (taken == Chunk.NONE) {
            long worth = Math.min(WORTH_REQUESTS * bytes, ChunkLevel.ROOT_BYTES);
            int least = Math.clamp(ChunkLevel.fitting(worth), wanted, fitting);
            taken = source.take(wanted, least, fitting);
            if (taken == Chunk.NONE) {
                return false;
            }
        }
        // From here on it is the arena's, by stores alone.
        int at = count * STRIDE;
        long chunk = taken & Chunk.MASK;
        long start = chunk & Chunk.ADDRESS_MASK;
        long committed = taken >>> Chunk.COMMITTED_SHIFT << Chunk.UNIT_SHIFT;
        words[at] = chunk;
        words[at + TOP] = start;
        words[at + LIMIT] = (taken & Chunk.DIRTY) == 0 ? start + committed : start;
        words[at + COMMITTED] = start + committed;
        ownedBytes += ChunkLevel.ROOT_BYTES >> (chunk & Chunk.LEVEL_MASK);
        count++;
        boolean served = false;
        try {
            served = cut(count - 1, start + bytes, asIs, before);
        } finally {
            if (!served) {
                giveLast();
            }
        }
        return served;
    }

    /** Gives back the chunk that was taken last, which nobody has used. */
    private void giveLast() {
        int at = (count - 1) * STRIDE;
        long size = Chunk.bytes(words[at]);
        giveBack(count - 1);
        words[at] = Chunk.NONE;
        ownedBytes -= size;
        count--;
        source.gave();
    }

    /** Makes room for one more chunk, so that none is needed once it is taken. */
    private void makeRoom() {
        if ((count + 1) * STRIDE > words.length) {
            words = Arrays.copyOf(words, 2 * words.length);
        }
    }

    /** Tells the history, unless this is the first chunk or that was a slab: nobody chose those. */
    private void grew(long before, long bytes) {
        if (before > 0 && !slabFirst) {
            source.growth.grew(kind, before, before + bytes);
        }
    }

    private long nextBytes(long requestedBytes, boolean ample) {
        if (slabFirst) {
            return GrowthPolicy.nextAfterSlab(ownedBytes);
        }
        if (ownedBytes > 0) {
            return source.growth.nextBytes(kind, ownedBytes, ample);
        }
        kind = GrowthHistory.kind(requestedBytes);
        return source.growth.firstBytes(kind, ample);
    }

    /** Makes the chunk that served a request the current one, if it has more room. */
    private void served(int index) {
        if (current < 0 || room(index) >= room(current)) {
            current = index;
        }
    }

    /** Gives back everything, but for a first chunk that is a slab. */
    void giveRest() {
        int end = slabFirst ? 1 : 0;
        for (int index = count - 1; index >= end; index--) {
            long chunk = words[index * STRIDE];
            if (chunk != Chunk.NONE) {
                giveBack(index);
                words[index * STRIDE] = Chunk.NONE;
                ownedBytes -= ChunkLevel.ROOT_BYTES >> (chunk & Chunk.LEVEL_MASK);
                current = -1;
            }
        }
        pages.give();
        source.gave();
    }

    @Override
    void reset() {
        super.reset();
        slabFirst = false;
        current = -1;
        ownedBytes = 0;
    }

    /** The slab that it began with; {@link Chunk#NONE} if it did not, or that is given back. */
    long slab() {
        return slabFirst ? Chunk.address(words[0]) : Chunk.NONE;
    }
}
