package io.polder.cache;

import java.util.Arrays;

/**
 * Lines for buckets that have more entries than lanes, one by one.
 *
 * <pre>{@code
 *   -1 ........... -4096 | -4097 ........ -8192 | ...       chunks of Lines
 *    free: -7 --> -3       free: none                       a word of a free line names the next
 *    ...... -fresh         ......... -fresh                 those beyond were never taken
 * }</pre>
 *
 * <p>The lowest chunk with a free line gives it. So the last chunk empties by and by, and {@link
 * Gathering} empties it when there are many free lines before it.
 *
 * <p>Guarded by its monitor, which is taken last.
 */
final class Spill {
    private final Lines lines;

    /** Of each chunk: how many lines are taken, how many ever were, and the first free one. */
    private int[] taken = new int[1];

    private int[] fresh = new int[1];
    private long[] firstFree = new long[1];

    /** No chunk before this one has a free line. */
    private int lowest;

    /** How many lines are taken of all chunks; written with the monitor held. */
    private volatile long takenAll;

    Spill(Lines lines) {
        this.lines = lines;
    }

    private static int chunkOf(long link) {
        return (int) ((link - 1) / Lines.LINES_PER_CHUNK);
    }

    private int chunks() {
        return (int) (lines.lowerCount() / Lines.LINES_PER_CHUNK);
    }

    /** How many could be taken without growing; while lines are given back a hint. */
    long spare() {
        return lines.lowerCount() - takenAll;
    }

    /** How many are taken. */
    long taken() {
        return takenAll;
    }

    /** Takes a line without entries; returns its link, or 0 if there is none. */
    synchronized long take() {
        return takeBefore(chunks());
    }

    /** The same in another chunk than the last. */
    synchronized long takeBeforeLast() {
        return takeBefore(chunks() - 1);
    }

    private synchronized long takeBefore(int end) {
        if (taken.length < chunks()) {
            int length = Math.max(chunks(), 2 * taken.length);
            firstFree = Arrays.copyOf(firstFree, length);
            fresh = Arrays.copyOf(fresh, length);
            taken = Arrays.copyOf(taken, length);
        }
        while (lowest < end && taken[lowest] == Lines.LINES_PER_CHUNK) {
            lowest++;
        }
        if (lowest >= end) {
            return 0;
        }
        long link = firstFree[lowest];
        if (link != 0) {
            firstFree[lowest] = lines.getOpaque(-link, BucketLayout.HANDLES);
        } else {
            link = (long) lowest * Lines.LINES_PER_CHUNK + ++fresh[lowest];
        }
        taken[lowest]++;
        takenAll = takenAll + 1;
        lines.clear(-link);
        return link;
    }

    /**
     * Gives a line back that is empty and the last of its bucket: a reader who is still on it finds
     * nothing there, or entries of other keys.
     */
    synchronized void give(long link) {
        int chunk = chunkOf(link);
        lines.setLink(-link, 0);
        lines.setRelease(-link, BucketLayout.HANDLES, firstFree[chunk]); // of lanes that are free
        firstFree[chunk] = link;
        taken[chunk]--;
        takenAll = takenAll - 1;
        lowest = Math.min(lowest, chunk);
    }

    /**
     * Gives the memory of the last chunk back if none of its lines is taken; who still reads one
     * fails.
     *
     * @param before runs before the first reader can fail, and after the last line was given
     * @return whether it was
     */
    boolean releaseLast(Runnable before) {
        boolean detached;
        synchronized (this) {
            int last = chunks() - 1;
            if (last < 0 || (last < taken.length && taken[last] > 0)) {
                return false;
            }
            before.run();
            detached = lines.detachLastLower();
            if (last < taken.length) {
                fresh[last] = 0;
                firstFree[last] = 0;
            }
            lowest = Math.min(lowest, last);
        }
        lines.closeLeaving();
        return detached;
    }
}
