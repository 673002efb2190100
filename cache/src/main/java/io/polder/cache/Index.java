package io.polder.cache;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The handles of entries, by the hashes of their keys, in native memory.
 *
 * <pre>{@code
 *   hash --LinearHashing--> bucket --> line --tag--> lane --> handle --> entry: is it the key?
 *                                       |
 *                                       +--link--> a line of Spill, with more lanes
 *
 *   lines:   b0 b1 sketch | b2 b3 sketch | b4 b5 sketch | ...
 * }</pre>
 *
 * <p>A line of counters ({@link SketchLayout}) follows each two buckets. For few entries there are
 * fewer buckets than places for them, and lines of counters at all places: keys choose one by their
 * hash as if all buckets were there.
 *
 * <h2>Reading takes no lock</h2>
 *
 * <p>An entry stays in its lane until it is removed; another value of the key takes the same lane.
 * So a reader who finds the key has found its entry. One who finds none must know that none was
 * moved behind his back. Entries are moved by {@link Resizing}, and within a bucket to have no more
 * lines than are needed: first they are copied to where they will be, then the state changes, then
 * they are taken from where they were. So a reader who finds nothing and then finds the state
 * unchanged is right. Where a link is cut, the line behind it was empty and the last: he has missed
 * nothing there.
 *
 * <p>An entry never changes while it is here, but for its deadline; one that was replaced is
 * {@linkplain Recycled written again}, for any key. So who has copied an entry, whatever he finds
 * in it, looks whether the version of its line is what it was before; if it is another one, he
 * looks again. If that happens often, he takes the monitor.
 *
 * <p>A handle is written in two parts, and so read. While one replaces another, and the version is
 * not yet another one, both entries live: so parts of both are stale, unless their generations are
 * the same, and then they are one of the two. Parts of others are seen with another version.
 *
 * <h2>Writing</h2>
 *
 * <p>A bucket is changed with a monitor held, which the lowest bits of a hash choose. There are
 * never fewer buckets than monitors; so a bucket and those that are split off from it have the
 * same one. The monitor is Java's, and not a lock, since the JVM gives it back whatever is thrown.
 * Of code of users only the ticker is called with it held, and no shrinker of theirs.
 *
 * <p>Failure. What is thrown between two stores leaves an entry that is found or one that is not,
 * and in the latter case memory that is kept until the cache is closed. A lane whose entry is freed
 * can only be left by an error; the next thread that meets it with the monitor held empties it. So
 * from the first error that may have left an entry in two lanes, replaced ones are freed.
 */
final class Index {
    /** Monitors of an index for many entries: a power of two, as for few. */
    static final int STRIPES_MAX = 1024;

    private static final int STRIPES_MIN = 16;

    private static final int GROUP_SHIFT = 1;
    private static final long GROUP = 1L << GROUP_SHIFT;

    /**
     * Counters are halved after so many counts for each entry. Measured: fewer forget too soon what
     * is wanted at a steady rate, more keep too long what is not wanted any more.
     */
    private static final long SAMPLE = 20;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Index.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Lines lines;
    final Spill spill;
    final Entries entries;
    private final Counts counts;
    private final Object[] monitors;

    /**
     * Whether there may be entries on probation in a bucket, where there is one for each monitor.
     * Who adds an entry says so after that; {@link ProbationHand} alone says that there are none,
     * and looks after that whether it is so. Each stores in place, which needs no stack.
     */
    final boolean[] onProbation;

    /** There are counters for so many buckets at least. */
    private final long countedBucketsMin;

    /** See {@link LinearHashing}. */
    @SuppressWarnings("FieldMayBeFinal") // by STATE
    private volatile long state;

    private volatile boolean isTorn;

    /**
     * Without entries.
     *
     * @param entriesMax how many there may be; if there are more later, writers wait for each other
     *     more often, and that is all
     */
    Index(Lines lines, Entries entries, Counts counts, long entriesMax) {
        this.counts = counts;
        this.lines = lines;
        this.spill = new Spill(lines);
        this.entries = entries;
        // One for each entry. Measured: with fewer, recent keys have fewer hits in 1,000 entries.
        long stripes = Long.highestOneBit(2 * Math.min(entriesMax, STRIPES_MAX) - 1);
        this.monitors = new Object[Math.clamp(stripes, STRIPES_MIN, STRIPES_MAX)];
        Arrays.setAll(monitors, _ -> new Object());
        this.onProbation = new boolean[monitors.length];
        this.state = LinearHashing.state(0, bucketsMin());
        this.countedBucketsMin = Math.min(2 * bucketsMin(), STRIPES_MAX);
        lines.ensureUpper(linesFor(countedBucketsMin));
    }

    /** What guards a bucket, by its number or by a hash that belongs into it. */
    Object monitor(long hash) {
        return monitors[(int) hash & (monitors.length - 1)];
    }

    /** There are never fewer buckets; see the class. */
    int bucketsMin() {
        return monitors.length;
    }

    long state() {
        return state;
    }

    long buckets() {
        return LinearHashing.buckets(state);
    }

    /** Some entries have moved: who has found nothing looks again. */
    void moved() {
        changeBuckets(0);
    }

    /** The same, and there are so many buckets more: {@link Resizing} alone says so. */
    void changeBuckets(int more) {
        long _ = (long) STATE.getAndAdd(this, LinearHashing.MOVE + more);
    }

    static long linesFor(long buckets) {
        return ((buckets + GROUP - 1) >>> GROUP_SHIFT) * (GROUP + 1);
    }

    static long line(long bucket) {
        return bucket + (bucket >>> GROUP_SHIFT);
    }

    private static long sketchLine(long bucket) {
        return (bucket >>> GROUP_SHIFT) * (GROUP + 1) + GROUP;
    }

    /** How many buckets have counters, where there are so many buckets. */
    private long countedBuckets(long buckets) {
        return Math.max(buckets, countedBucketsMin);
    }

    private long sketchLine(long hash, long buckets) {
        return sketchLine(LinearHashing.bucket(hash, countedBuckets(buckets)));
    }

    /** The same of a hash whose bucket is known. */
    private long sketchLine(long hash, long buckets, long bucket) {
        return buckets >= countedBucketsMin ? sketchLine(bucket) : sketchLine(hash, buckets);
    }

    /** The counters of a bucket that begins a group, if it has had none, follow another's. */
    void copySketch(long from, long to) {
        if ((to & (GROUP - 1)) == 0 && to >= countedBucketsMin) {
            lines.copy(sketchLine(from), sketchLine(to));
        }
    }

    /** The handle of a lane; without the monitor it may be parts of two. */
    long handle(long line, int lane) {
        return entries.handle(lines.piece(line, lane), lines.generation(line, lane));
    }

    /** Counts that a key was asked for. */
    void count(long hash) {
        count(hash, sketchLine(hash, buckets()));
    }

    /** The same of one whose counters are known. */
    private void count(long hash, long line) {
        long buckets = countedBuckets(buckets());
        MemorySegment chunk = lines.chunkOf(line);
        long at = Lines.offset(line);
        long added = SketchLayout.add(chunk, at, hash);
        if (added * buckets > SAMPLE * GROUP * counts.entries.get()) {
            SketchLayout.halve(chunk, at, added);
        }
    }

    /**
     * Has counters of the key in hand in the scratch, which is looked for next. They lie in another
     * cache line, which comes at the same time as the bucket's this way; who finds the key counts
     * it. The processor waits for neither as long as nobody computes with what was read.
     */
    void loadCounters(Scratch scratch, long buckets, long bucket) {
        scratch.sketchLine = sketchLine(scratch.hash, buckets, bucket);
        scratch.ahead = lines.getOpaque(scratch.sketchLine, 0);
    }

    /** How often a key was asked for lately. */
    int frequency(long hash) {
        long line = sketchLine(hash, buckets());
        try {
            return SketchLayout.count(lines.chunkOf(line), Lines.offset(line), hash);
        } catch (IllegalStateException | IndexOutOfBoundsException _) {
            return 0; // the line went back meanwhile, or the cache was closed
        }
    }

    /** How many hits the lane of the entry that was found stands for; one for being in main. */
    int hits(Scratch found) {
        try {
            int laneState = BucketLayout.state(lines.getOpaque(found.line, 0), found.lane);
            return BucketLayout.hits(laneState) + (BucketLayout.isMain(laneState) ? 1 : 0);
        } catch (IllegalStateException | IndexOutOfBoundsException _) {
            return 0; // the line went back meanwhile, or the cache was closed
        }
    }

    /** Remembers a hit of the entry that was found; another thread's change goes first. */
    void hit(Scratch scratch) {
        try {
            hitNow(scratch);
        } catch (IllegalStateException | IndexOutOfBoundsException _) {
            // The line went back meanwhile, or the cache was closed, which the next use tells.
        }
    }

    private void hitNow(Scratch scratch) {
        int was = BucketLayout.state(scratch.word, scratch.lane);
        if (BucketLayout.hit(was) != was) {
            remember(scratch);
        }
        count(scratch.hash, scratch.sketchLine);
    }

    private void remember(Scratch hit) {
        long word = lines.getOpaque(hit.line, 0);
        int lane = hit.lane;
        int was = BucketLayout.state(word, lane);
        int now = BucketLayout.hit(was);
        if (now != was && BucketLayout.isMatch(word, lane, BucketLayout.tag(hit.hash))) {
            boolean _ = setState(hit.line, lane, word, now);
        }
    }

    /** Changes the state of a lane, if its line's first word is what it was. */
    boolean setState(long line, int lane, long word, int laneState) {
        return lines.compareAndSet(line, 0, word, BucketLayout.with(word, lane, laneState));
    }

    /**
     * Changes tag and state of a lane. The monitor is held: others only count hits meanwhile.
     *
     * @return the state before
     */
    int setLaneLocked(long line, int lane, int tag, int laneState) {
        long word = lines.getAcquire(line, 0);
        while (!lines.compareAndSet(line, 0, word, BucketLayout.with(word, lane, tag, laneState))) {
            word = lines.getAcquire(line, 0);
        }
        return BucketLayout.state(word, lane);
    }

    /**
     * Takes an entry from a lane. Who is still there must see that it may be written again.
     *
     * @return the state before
     */
    int emptyLaneLocked(long line, int lane) {
        int was = setLaneLocked(line, lane, 0, BucketLayout.YOUNG);
        lines.setChanged(line);
        return was;
    }

    /**
     * Another entry of the same key takes the lane of the one that was found. After that the line
     * gets another version, and after that the old entry may be written again: who sees the version
     * sees the new entry, and who sees a byte that was written sees the version.
     */
    void replaceLocked(Scratch found, long handle) {
        lines.setHandle(found.line, found.lane, BucketLayout.tag(found.hash), handle);
        lines.setChanged(found.line);
    }

    /**
     * Adds an entry whose key has none.
     *
     * @return whether there was a line for it
     */
    boolean insertLocked(long hash, long handle, int laneState) {
        long first = line(LinearHashing.bucket(hash, buckets()));
        boolean done = insertIntoLocked(first, BucketLayout.tag(hash), handle, laneState);
        int stripe = (int) hash & (monitors.length - 1);
        long _ = state; // volatile: the mark is read after the lane was written, on any processor
        if (!onProbation[stripe]) { // other processors have it, too
            onProbation[stripe] = true;
        }
        return done;
    }

    boolean insertIntoLocked(long first, int tag, long handle, int laneState) {
        long line = first;
        while (true) {
            long free = BucketLayout.free(lines.getAcquire(line, 0));
            if (free != 0) {
                int lane = BucketLayout.first(free);
                lines.setHandle(line, lane, tag, handle);
                int _ = setLaneLocked(line, lane, tag, laneState);
                return true;
            }
            long link = lines.link(line);
            if (link == 0) {
                link = spill.take();
                if (link == 0) {
                    return false;
                }
                lines.setLink(line, link);
            }
            line = -link;
        }
    }

    /** Removes the entry that was found; returns the state of its lane. */
    int removeLocked(Scratch found) {
        long first = line(LinearHashing.bucket(found.hash, buckets()));
        int was = emptyLaneLocked(found.line, found.lane);
        packLocked(first);
        return was;
    }

    /**
     * Removes an entry from a bucket, if it is there.
     *
     * @return the state of its lane; -1 if it was not there
     */
    int removeLocked(long bucket, long handle) {
        long line = line(bucket);
        do {
            long marks = BucketLayout.taken(lines.getAcquire(line, 0));
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                if (handle(line, lane) == handle) {
                    int was = emptyLaneLocked(line, lane);
                    packLocked(line(bucket));
                    return was;
                }
            }
            line = lines.next(line);
        } while (line != 0);
        return -1;
    }

    /** The handles in a bucket. */
    long[] handlesLocked(long bucket) {
        long[] handles = new long[BucketLayout.LANES];
        int count = 0;
        long line = line(bucket);
        do {
            long marks = BucketLayout.taken(lines.getAcquire(line, 0));
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                if (count == handles.length) {
                    handles = Arrays.copyOf(handles, 2 * count);
                }
                handles[count++] = handle(line, BucketLayout.first(marks));
            }
            line = lines.next(line);
        } while (line != 0);
        return Arrays.copyOf(handles, count);
    }

    /**
     * Moves entries from the last line of a bucket to free lanes before it, if all have room there,
     * and gives the line back; and so on.
     */
    void packLocked(long first) {
        while (true) {
            int free = 0;
            long before = first;
            long last = first;
            for (long link = lines.link(first); link != 0; ) {
                free += Long.bitCount(BucketLayout.free(lines.getAcquire(last, 0)));
                before = last;
                last = -link;
                link = lines.link(last);
            }
            long marks = BucketLayout.taken(lines.getAcquire(last, 0));
            if (last == first || Long.bitCount(marks) > free) {
                return;
            }
            boolean done = false;
            try { // as moveLocked, with no object for it: an entry may have left that nobody counts
                packLineLocked(last, first, marks);
                done = true;
            } finally {
                if (!done) {
                    isTorn = true;
                }
            }
            lines.setLink(before, 0);
            spill.give(-last);
        }
    }

    /** Moves entries from the last line of a bucket to lines before it. */
    private void packLineLocked(long last, long first, long marks) {
        long word = lines.getAcquire(last, 0);
        for (long rest = marks; rest != 0; rest = BucketLayout.rest(rest)) {
            int lane = BucketLayout.first(rest);
            int laneState = BucketLayout.state(word, lane);
            long handle = handle(last, lane);
            int tag = BucketLayout.tag(word, lane, lines.piece(last, lane));
            boolean _ = insertIntoLocked(first, tag, handle, laneState);
        }
        if (marks != 0) {
            moved();
        }
        for (long rest = marks; rest != 0; rest = BucketLayout.rest(rest)) {
            int lane = BucketLayout.first(rest);
            leaveLocked(last, lane, BucketLayout.state(word, lane));
        }
    }

    /** Moves entries, so that each is in two lanes for a while. */
    void moveLocked(Runnable move) {
        boolean done = false;
        try {
            move.run();
            done = true;
        } finally {
            if (!done) {
                isTorn = true; // in place: it needs no stack
            }
        }
    }

    /** Whether an error has cut a move short, so that some entry may be in two lanes. */
    boolean isTorn() {
        return isTorn;
    }

    /**
     * Empties a lane whose entry was copied to another one.
     *
     * @param copied the state that the other lane got: if the entry has become one of main since
     *     then, that is lost
     */
    void leaveLocked(long line, int lane, int copied) {
        int was = emptyLaneLocked(line, lane);
        if (BucketLayout.isMain(was) && !BucketLayout.isMain(copied)) {
            counts.main.getAndDecrement();
        }
    }

    /** Empties lanes whose entries were freed, after an error. */
    void dropStaleLocked(long first) {
        long line = first;
        do {
            long marks = BucketLayout.taken(lines.getAcquire(line, 0));
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                if (!entries.heap.isLive(handle(line, lane))) {
                    int _ = emptyLaneLocked(line, lane);
                }
            }
            line = lines.next(line);
        } while (line != 0);
        packLocked(first);
    }
}
