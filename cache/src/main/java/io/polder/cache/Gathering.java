package io.polder.cache;

import static io.polder.cache.BucketLayout.HANDLES;

import io.polder.heap.StaleHandleException;

/**
 * Gathers spilled lines at the front, so that chunks of them go back when fewer buckets spill.
 *
 * <pre>{@code
 *   chunk 0     chunk 1     last chunk
 *   x x . x     x . . x     . x . . x        is due when the free lines of the others are enough
 *       ^---------------------'              for those that are taken of the last, and for more
 * }</pre>
 *
 * <p>A line is copied, then the bucket has the copy in its place, then the state of the index
 * changes, then the line is emptied. Which bucket a line belongs to its entries tell.
 *
 * <p>Used by one thread at a time, the one that resizes. It takes monitors of buckets.
 */
final class Gathering {
    /** When a chunk goes back, more lines stay ready: one for so many that are taken. */
    private static final long READY_PART = 8;

    private final Index index;
    private final Lines lines;
    private final Spill spill;

    /** How many lines of the last chunk were looked at. */
    private int looked;

    Gathering(Index index) {
        this.index = index;
        this.lines = index.lines;
        this.spill = index.spill;
    }

    /** Whether a chunk can go back. */
    boolean isDue() {
        long ready = Resizing.SPARE_LINES + spill.taken() / READY_PART;
        return spill.spare() >= Lines.LINES_PER_CHUNK + 2 * ready;
    }

    /** Gives back all chunks that are not needed, and those that no bucket needs. */
    void finish(Scratch scratch) {
        boolean more = true;
        while (more && isDue()) {
            more = step(Lines.LINES_PER_CHUNK, scratch);
        }
        while (spill.taken() == 0 && spill.releaseLast(index::moved)) {
            looked = 0;
        }
    }

    /**
     * Moves what is taken of some lines of the last chunk, and gives the chunk back if it is empty.
     *
     * @return whether it is, or there are more lines to look at
     */
    boolean step(int looks, Scratch scratch) {
        long before = lines.lowerCount() - Lines.LINES_PER_CHUNK;
        for (int i = 0; i < looks && looked < Lines.LINES_PER_CHUNK; i++) {
            looked++;
            move(-(before + looked), scratch);
        }
        if (looked < Lines.LINES_PER_CHUNK) {
            return true;
        }
        looked = 0;
        return spill.releaseLast(index::moved);
    }

    /** Moves a line to another chunk, if it is that of a bucket and there is another one. */
    private void move(long line, Scratch scratch) {
        long marks = BucketLayout.taken(lines.getAcquire(line, 0));
        if (marks == 0) {
            return;
        }
        long handle = index.handle(line, BucketLayout.first(marks));
        long hash;
        try {
            hash = index.entries.hash(handle, scratch);
        } catch (StaleHandleException _) {
            return; // it changes right now: the next time
        }
        synchronized (index.monitor(hash)) {
            long before = Index.line(LinearHashing.bucket(hash, index.buckets()));
            long link = lines.link(before);
            while (link != 0 && -link != line) {
                before = -link;
                link = lines.link(before);
            }
            long copy = link == 0 ? 0 : spill.takeBeforeLast();
            if (copy != 0) {
                moveLocked(before, line, copy);
            }
        }
    }

    private void moveLocked(long before, long line, long copy) {
        index.moveLocked(() -> moveEntriesLocked(before, line, copy));
        spill.give(-line);
    }

    private void moveEntriesLocked(long before, long line, long copy) {
        long word = lines.getAcquire(line, 0);
        for (int i = HANDLES; i < Lines.LINE_BYTES / Long.BYTES; i++) {
            lines.setRelease(-copy, i, lines.getAcquire(line, i));
        }
        lines.setLink(-copy, lines.link(line));
        boolean _ = lines.compareAndSet(-copy, 0, 0, word); // nobody else has it
        lines.setLink(before, copy);
        index.moved();
        for (long rest = BucketLayout.taken(word); rest != 0; rest = BucketLayout.rest(rest)) {
            int lane = BucketLayout.first(rest);
            index.leaveLocked(line, lane, BucketLayout.state(word, lane));
        }
    }
}
