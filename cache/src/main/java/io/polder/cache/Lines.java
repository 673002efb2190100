package io.polder.cache;

import static io.polder.cache.BucketLayout.GENERATIONS;
import static io.polder.cache.BucketLayout.INDEXES;

import io.polder.MemoryPool;
import io.polder.page.Page;
import io.polder.page.PageCache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Cache lines of native memory, by number: the memory of an index.
 *
 * <pre>{@code
 *   number  0 .. 4095      4096 .. 8191                 -1 .. -4096
 *          [chunk 0]       [chunk 1]     ...            [chunk 0]   ...
 *           upper lines, those of a table                lower lines, one by one
 * }</pre>
 *
 * <p>Two arrays of lines grow independently: upward from 0, and downward from -1. A chunk has an
 * arena of its own, so that it can go back; it reads as zero when it comes. Upper chunks beyond the
 * first {@value #SINGLE_CHUNKS} have an arena for each eight, which are a page of the pool: large
 * heaps ask for huge pages behind these.
 *
 * <p>Growing and shrinking are guarded by the monitor, and may make the pool ask its shrinkers: so
 * the thread that calls them holds no lock. A part is known before it has an arena or a page, until
 * both are closed. So what an error keeps from being used or closed is closed by the next one who
 * shrinks them, or with all. Reading and writing need no lock; after {@link #close}, or of a chunk
 * that went back, they fail with the exception of the JDK.
 */
final class Lines {
    static final int LINE_BYTES = 64;
    static final int LINES_PER_CHUNK = 1 << 12;
    static final long CHUNK_BYTES = (long) LINES_PER_CHUNK * LINE_BYTES;

    /** Upper chunks that come one by one: pages are too large for a small cache. */
    private static final int SINGLE_CHUNKS = 16;

    private static final int CHUNKS_PER_PAGE = (int) (PageCache.GRANULE_BYTES / CHUNK_BYTES);

    private static final int CHUNK_SHIFT = 12;
    private static final int LINE_SHIFT = 6;
    private static final int WORD_SHIFT = 3;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INDEX = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle GENERATION = ValueLayout.JAVA_SHORT.varHandle();

    private static final MemorySegment[] NONE = {};

    private final MemoryPool pool;
    private volatile MemorySegment[] upper = NONE;
    private volatile MemorySegment[] lower = NONE;
    private Part[] upperParts = {};
    private Part[] lowerParts = {};

    /** The first of all parts that are not closed. */
    private @Nullable Part first;

    private boolean closed;

    /** Whether all went back. The arrays stay, so that readers fail as the class says. */
    private volatile boolean isFreed;

    private enum State {
        OPENING,
        KEPT,
        /** In no array, until it is closed. */
        LEAVING
    }

    /** What comes and goes at once: of an arena, or a page that lives as long as it does. */
    private static final class Part {
        private @Nullable Arena arena;
        private @Nullable Page page;
        private @Nullable Part next;
        private volatile State state = State.OPENING;

        /** Gives it back; again after an error has cut that short. */
        void close() {
            if (arena != null) {
                closeOnce(arena);
            }
            if (page != null) {
                closeOnce(page);
            }
        }

        private static void closeOnce(Arena arena) {
            try {
                arena.close();
            } catch (IllegalStateException thrown) {
                if (arena.scope().isAlive()) {
                    throw thrown; // otherwise it was closed before
                }
            }
        }

        private static void closeOnce(Page page) {
            try {
                page.close();
            } catch (IllegalStateException _) {
                // It was closed before.
            }
        }
    }

    Lines(MemoryPool pool) {
        this.pool = pool;
    }

    /** Whether no memory comes any more, while the cache goes on with what it has. */
    boolean isPoolClosed() {
        return pool.isClosed();
    }

    /** What they take, in bytes; nothing once all went back. */
    long bytes() {
        return isFreed ? 0 : (upper.length + (long) lower.length) * CHUNK_BYTES;
    }

    /** How many lines there are from 0 upward. */
    long upperCount() {
        return (long) upper.length << CHUNK_SHIFT;
    }

    /** How many lines there are from -1 downward. */
    long lowerCount() {
        return (long) lower.length << CHUNK_SHIFT;
    }

    /**
     * Makes sure that there are so many lines from 0 upward.
     *
     * @throws OutOfMemoryError if the pool has no memory for them; then nothing has changed
     */
    void ensureUpper(long count) {
        while (upperCount() < count) {
            grow(true, upper.length);
        }
    }

    /** As {@link #ensureUpper} does, from -1 downward. */
    void ensureLower(long count) {
        while (lowerCount() < count) {
            grow(false, lower.length);
        }
    }

    private void grow(boolean isUpper, int known) {
        int more = isUpper && known >= SINGLE_CHUNKS ? CHUNKS_PER_PAGE : 1;
        Part part = begin();
        try {
            keep(isUpper, part, open(part, more * CHUNK_BYTES), known);
        } finally {
            if (part.state == State.OPENING) {
                part.state = State.LEAVING;
                closeLeaving();
            }
        }
    }

    private synchronized Part begin() {
        Part part = new Part();
        part.next = first;
        first = part;
        return part;
    }

    /** What is opened is in the part at once. */
    private MemorySegment open(Part part, long bytes) {
        Arena arena = pool.openShared();
        part.arena = arena;
        if (bytes == CHUNK_BYTES) {
            return arena.allocate(bytes, LINE_BYTES);
        }
        Page page = pool.pages().allocate(bytes);
        part.page = page;
        return page.segment(arena);
    }

    /** Unless another thread was faster. */
    private synchronized void keep(boolean isUpper, Part part, MemorySegment memory, int known) {
        if (closed) {
            throw new IllegalStateException("the cache is closed");
        }
        MemorySegment[] before = isUpper ? upper : lower;
        if (before.length == known) {
            int more = (int) (memory.byteSize() / CHUNK_BYTES);
            MemorySegment[] chunks = Arrays.copyOf(before, known + more);
            for (int i = 0; i < more; i++) {
                chunks[known + i] = memory.asSlice(i * CHUNK_BYTES, CHUNK_BYTES);
            }
            if (isUpper) {
                upperParts = with(upperParts, part);
                upper = chunks; // decides
            } else {
                lowerParts = with(lowerParts, part);
                lower = chunks; // decides
            }
            part.state = State.KEPT;
        }
    }

    private static Part[] with(Part[] all, Part added) {
        Part[] longer = Arrays.copyOf(all, all.length + 1);
        longer[all.length] = added;
        return longer;
    }

    /** Gives chunks back that only have lines from this number upward. Who reads them fails. */
    void shrinkUpper(long count) {
        while (detachLast(true, count)) {
            closeLeaving();
        }
    }

    /**
     * Has no last chunk from -1 downward any more.
     *
     * @return whether there was one; then the caller calls {@link #closeLeaving}
     */
    boolean detachLastLower() {
        return detachLast(false, 0);
    }

    /** The same of either array, if so many lines are left. */
    private synchronized boolean detachLast(boolean isUpper, long count) {
        MemorySegment[] known = isUpper ? upper : lower;
        Part[] all = isUpper ? upperParts : lowerParts;
        int last = all.length - 1;
        int kept = known.length - (isUpper && last >= SINGLE_CHUNKS ? CHUNKS_PER_PAGE : 1);
        if (closed || last < 0 || (long) kept << CHUNK_SHIFT < count) {
            return false;
        }
        Part part = all[last];
        MemorySegment[] chunks = Arrays.copyOf(known, kept);
        Part[] parts = Arrays.copyOf(all, last);
        if (isUpper) {
            upper = chunks; // decides
            upperParts = parts;
        } else {
            lower = chunks; // decides
            lowerParts = parts;
        }
        part.state = State.LEAVING;
        return true;
    }

    /** Closes what is in no array any more, also what an error kept open before. */
    void closeLeaving() {
        closeAll(false);
    }

    /** Gives all back; closing again gives back what an error has left. */
    void close() {
        synchronized (this) {
            closed = true; // nobody changes the arrays from now on
        }
        closeAll(true);
        isFreed = true;
    }

    private void closeAll(boolean alsoKept) {
        for (Part part = next(null, alsoKept); part != null; part = next(part, alsoKept)) {
            part.close();
        }
    }

    /**
     * The next part to close, after one that was closed has gone; null if there is none. Who opens
     * one closes it himself if it is closed meanwhile.
     */
    private synchronized @Nullable Part next(@Nullable Part gone, boolean alsoKept) {
        Part before = null;
        for (Part part = first; part != null; part = part.next) {
            if (part == gone) {
                if (before == null) {
                    first = part.next;
                } else {
                    before.next = part.next;
                }
            } else if (part.state == State.LEAVING || (alsoKept && part.state == State.KEPT)) {
                return part;
            } else {
                before = part;
            }
        }
        return null;
    }

    /** The chunk that a line is in, for several looks at it; its words from {@link #offset} on. */
    MemorySegment chunkOf(long line) {
        return line >= 0
                ? upper[(int) (line >>> CHUNK_SHIFT)]
                : lower[(int) (~line >>> CHUNK_SHIFT)];
    }

    /** Where a line begins in its chunk. */
    static long offset(long line) {
        return ((line >= 0 ? line : ~line) & (LINES_PER_CHUNK - 1)) << LINE_SHIFT;
    }

    private static long offset(long line, int word) {
        return offset(line) + ((long) word << WORD_SHIFT);
    }

    static long getAcquire(MemorySegment chunk, long offset, int word) {
        return (long) WORD.getAcquire(chunk, offset + ((long) word << WORD_SHIFT));
    }

    long getAcquire(long line, int word) {
        return (long) WORD.getAcquire(chunkOf(line), offset(line, word));
    }

    long getOpaque(long line, int word) {
        return (long) WORD.getOpaque(chunkOf(line), offset(line, word));
    }

    void setOpaque(long line, int word, long value) {
        WORD.setOpaque(chunkOf(line), offset(line, word), value);
    }

    void setRelease(long line, int word, long value) {
        WORD.setRelease(chunkOf(line), offset(line, word), value);
    }

    boolean compareAndSet(long line, int word, long expected, long value) {
        return WORD.compareAndSet(chunkOf(line), offset(line, word), expected, value);
    }

    /**
     * What a lane has of its tag and handle; see {@link BucketLayout#piece}. In no order but that
     * of the word that says that it has some, which a put in the same lane leaves as it is: who
     * believes what the entry says has the monitor, or a fence after this.
     */
    static int piece(MemorySegment chunk, long offset, int lane) {
        return (int) INDEX.get(chunk, offset + INDEXES + (long) lane * Integer.BYTES);
    }

    int piece(long line, int lane) {
        return piece(chunkOf(line), offset(line), lane);
    }

    /** The generation of a lane's handle; likewise. */
    static short generation(MemorySegment chunk, long offset, int lane) {
        return (short) GENERATION.get(chunk, offset + GENERATIONS + (long) lane * Short.BYTES);
    }

    short generation(long line, int lane) {
        return generation(chunkOf(line), offset(line), lane);
    }

    /**
     * Who sees either part sees what was written before, as the version. Nothing is called between
     * the two that needs more stack than the first.
     */
    void setHandle(long line, int lane, int tag, long handle) {
        MemorySegment chunk = chunkOf(line);
        long index = offset(line) + INDEXES + (long) lane * Integer.BYTES;
        long generation = offset(line) + GENERATIONS + (long) lane * Short.BYTES;
        int piece = BucketLayout.piece(tag, handle);
        short itsGeneration = BucketLayout.generation(handle);
        INDEX.setRelease(chunk, index, piece);
        GENERATION.setRelease(chunk, generation, itsGeneration);
    }

    /** The link of a bucket's line; see {@link BucketLayout}. */
    long link(long line) {
        return BucketLayout.link(getAcquire(line, BucketLayout.LINK));
    }

    /** The line that a bucket's line is linked to; 0, to which none is, if it is the last. */
    long next(long line) {
        return -link(line);
    }

    /** Changes the link of a line that no other thread changes. */
    void setLink(long line, long link) {
        long was = getOpaque(line, BucketLayout.LINK);
        setRelease(line, BucketLayout.LINK, BucketLayout.withLink(was, link));
    }

    /** An entry has left a line that no other thread changes, or was replaced. */
    void setChanged(long line) {
        long was = getOpaque(line, BucketLayout.LINK);
        setRelease(line, BucketLayout.LINK, BucketLayout.changed(was));
    }

    /** Empties a line that no other thread changes. Its version stays, for who reads it still. */
    void clear(long line) {
        for (int word = 0; word < LINE_BYTES / Long.BYTES; word++) {
            if (word != BucketLayout.LINK) {
                setRelease(line, word, 0);
            }
        }
        setLink(line, 0);
    }

    /** Copies all but the first words of a line. */
    void copy(long from, long to) {
        for (int word = 0; word < LINE_BYTES / Long.BYTES; word++) {
            setOpaque(to, word, getOpaque(from, word));
        }
    }
}
