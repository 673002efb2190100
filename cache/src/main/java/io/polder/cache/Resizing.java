package io.polder.cache;

import java.util.Arrays;

/**
 * Has an index grow and shrink, by one bucket at a time.
 *
 * <pre>{@code
 *   split    copy to the new bucket --> state --> take from the old one
 *   merge    copy to the old bucket --> state --> empty the new one
 * }</pre>
 *
 * <p>It also has spilled lines gathered ({@link Gathering}) when there are many free ones.
 *
 * <p>One thread at a time resizes, others go on. It holds the monitor of the buckets meanwhile.
 * Lines are made before that.
 *
 * <p>Failure. What is thrown before the state changes leaves copies that nobody looks for, and that
 * the next split overwrites. What is thrown after it leaves entries where nobody looks for them,
 * which {@link Eviction} drops when it meets them.
 */
final class Resizing {
    /** The index grows where it has more entries for each bucket, times four. */
    private static final long QUARTERS_MAX = 28;

    /** The index shrinks where it has fewer. */
    private static final long QUARTERS_MIN = 26;

    /** So many lines are kept ready for buckets that spill. */
    static final long SPARE_LINES = 256;

    /** So many lines are looked at to be gathered, for each bucket that may be split. */
    private static final int LOOKS = 32;

    private final Index index;
    private final Lines lines;
    private final Scratches scratches;
    private final Gathering gathering;
    private final Baton baton = new Baton();

    /** Entries of a bucket; of the thread that resizes. */
    private long[] handles = new long[16];

    private long[] places = new long[16];

    Resizing(Index index, Scratches scratches) {
        this.index = index;
        this.lines = index.lines;
        this.scratches = scratches;
        this.gathering = new Gathering(index);
    }

    /**
     * Makes lines ready for buckets that spill. No lock is held.
     *
     * @throws OutOfMemoryError if there are none left and the pool has no memory
     */
    void prepare() {
        if (index.spill.spare() < SPARE_LINES) {
            lines.ensureLower(lines.lowerCount() + 1);
        }
    }

    /**
     * Splits or merges a bucket or two, if it is time. No lock is held.
     *
     * @param entries how many the index has
     * @param steps how many buckets at most
     */
    void step(long entries, int steps) {
        long buckets = index.buckets();
        boolean grows = 4 * entries > QUARTERS_MAX * buckets;
        boolean shrinks = 4 * entries < QUARTERS_MIN * buckets && buckets > index.bucketsMin();
        if ((!grows && !shrinks && !gathering.isDue()) || baton.isTaken) {
            return;
        }
        Scratch scratch = scratches.take(); // before the turn, which an error would leave taken
        if (!baton.take()) {
            scratches.give(scratch);
            return;
        }
        try {
            for (int i = 0; i < steps; i++) {
                prepare();
                buckets = index.buckets();
                if (4 * entries > QUARTERS_MAX * buckets) {
                    lines.ensureUpper(Index.linesFor(buckets + 1));
                    split(buckets, scratch);
                } else if (4 * entries < QUARTERS_MIN * buckets && buckets > index.bucketsMin()) {
                    merge(buckets - 1);
                    long kept = Index.linesFor(buckets - 1) + Lines.LINES_PER_CHUNK;
                    if (kept < lines.upperCount()) {
                        index.moved();
                        lines.shrinkUpper(kept);
                    }
                }
                if (gathering.isDue()) {
                    boolean _ = gathering.step(LOOKS, scratch);
                }
            }
        } finally {
            baton.isTaken = false; // in place: it needs no stack
            scratches.give(scratch);
        }
    }

    /** Gives all lines back that are not needed for buckets that spill. No lock is held. */
    void trim() {
        Scratch scratch = scratches.take();
        if (!baton.take()) {
            scratches.give(scratch);
            return;
        }
        try {
            gathering.finish(scratch);
        } finally {
            baton.isTaken = false;
            scratches.give(scratch);
        }
    }

    private void split(long made, Scratch scratch) {
        synchronized (index.monitor(made)) {
            index.moveLocked(() -> splitLocked(made, scratch));
        }
    }

    private void splitLocked(long made, Scratch scratch) {
        long parent = LinearHashing.parent(made);
        long from = Index.line(parent);
        long to = Index.line(made);
        lines.clear(to);
        int count = 0;
        int all = listLocked(from);
        for (int i = 0; i < all; i++) {
            if (hashLocked(handles[i], scratch)
                    && LinearHashing.bucket(scratch.hash, made + 1) == made) {
                boolean copied =
                        index.insertIntoLocked(
                                to, tagOf(places[i]), handles[i], stateOf(places[i]));
                if (!copied) {
                    emptyLocked(to);
                    freeChainLocked(to);
                    return; // there is no line for it: another time
                }
                places[count++] = places[i];
            }
        }
        index.copySketch(parent, made);
        index.changeBuckets(1);
        for (int i = 0; i < count; i++) {
            index.leaveLocked(lineOf(places[i]), laneOf(places[i]), stateOf(places[i]));
        }
        index.packLocked(from);
    }

    private void merge(long last) {
        synchronized (index.monitor(last)) {
            index.moveLocked(() -> mergeLocked(last));
        }
    }

    private void mergeLocked(long last) {
        long parent = LinearHashing.parent(last);
        long from = Index.line(last);
        int all = listLocked(from);
        int copies = 0;
        boolean complete = true;
        for (int i = 0; i < all && complete; i++) {
            complete =
                    index.insertIntoLocked(
                            Index.line(parent), tagOf(places[i]), handles[i], stateOf(places[i]));
            copies += complete ? 1 : 0;
        }
        if (!complete) {
            for (int i = 0; i < copies; i++) {
                int _ = index.removeLocked(parent, handles[i]);
            }
            return;
        }
        index.changeBuckets(-1);
        for (int i = 0; i < all; i++) {
            index.leaveLocked(lineOf(places[i]), laneOf(places[i]), stateOf(places[i]));
        }
        freeChainLocked(from);
    }

    /** The key's hash; false if the entry was freed, which only an error can have left here. */
    private boolean hashLocked(long handle, Scratch scratch) {
        if (!index.entries.heap.isLive(handle)) {
            return false;
        }
        index.entries.hash(handle, scratch);
        return true;
    }

    /**
     * Notes the entries of a bucket, where they are, and their tags and states; returns how many
     * there are.
     */
    private int listLocked(long first) {
        int count = 0;
        long line = first;
        do {
            long word = lines.getAcquire(line, 0);
            long marks = BucketLayout.taken(word);
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                if (count == handles.length) {
                    long[] longer = Arrays.copyOf(handles, 2 * count);
                    places = Arrays.copyOf(places, 2 * count);
                    handles = longer;
                }
                handles[count] = index.handle(line, lane);
                places[count] =
                        place(
                                line,
                                lane,
                                BucketLayout.tag(word, lane, lines.piece(line, lane)),
                                BucketLayout.state(word, lane));
                count++;
            }
            line = lines.next(line);
        } while (line != 0);
        return count;
    }

    private static long place(long line, int lane, int tag, int state) {
        return line << 16 | (long) tag << 8 | (long) state << 4 | lane;
    }

    private static long lineOf(long place) {
        return place >> 16;
    }

    private static int tagOf(long place) {
        return (int) (place >> 8) & 0xFF;
    }

    private static int stateOf(long place) {
        return (int) (place >> 4) & 0xF;
    }

    private static int laneOf(long place) {
        return (int) place & 0xF;
    }

    /** Takes copies back that nobody looks for. */
    private void emptyLocked(long first) {
        long line = first;
        do {
            long marks = BucketLayout.taken(lines.getAcquire(line, 0));
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int _ = index.emptyLaneLocked(line, BucketLayout.first(marks));
            }
            line = lines.next(line);
        } while (line != 0);
    }

    /** Gives the lines behind the first one back, which are empty. */
    private void freeChainLocked(long first) {
        long link = lines.link(first);
        lines.setLink(first, 0);
        while (link != 0) {
            long next = lines.link(-link);
            index.spill.give(link);
            link = next;
        }
    }
}
