package io.polder.cache;

import static io.polder.cache.BucketLayout.LINK;

import io.polder.heap.StaleHandleException;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Looks for entries in an {@link Index}.
 *
 * <p>Thread-safe. What ends in {@code Locked} is for a thread that has the monitor of the key's
 * hash.
 */
final class Lookup {
    /** A reader who has found so many entries freed or replaced meanwhile takes the monitor. */
    private static final int FAILURES_MAX = 64;

    // What a look into the lines of a bucket finds.
    private static final int NONE = 0;
    private static final int FOUND = 1;
    private static final int CHANGING = 2;

    private final Index index;
    private final Lines lines;
    private final Entries entries;

    Lookup(Index index) {
        this.index = index;
        this.lines = index.lines;
        this.entries = index.entries;
    }

    /**
     * Looks for the entry of the key in hand, without a lock.
     *
     * @return whether there is one, which is in the scratch then
     */
    boolean find(Scratch scratch) {
        int failures = 0;
        while (failures <= FAILURES_MAX) {
            long seen = index.state();
            try {
                long buckets = LinearHashing.buckets(seen);
                long bucket = LinearHashing.bucket(scratch.hash, buckets);
                index.loadCounters(scratch, buckets, bucket);
                int found = findInLines(Index.line(bucket), scratch);
                if (found == FOUND) {
                    scratch.seen = seen;
                    return true;
                }
                if (found == NONE && index.state() == seen) {
                    return false;
                }
                failures += found == CHANGING ? 1 : 0;
            } catch (StaleHandleException _) {
                failures++;
            } catch (IllegalStateException | IndexOutOfBoundsException gone) {
                if (index.state() == seen) {
                    throw gone; // closed; otherwise the lines went back meanwhile
                }
            }
        }
        synchronized (index.monitor(scratch.hash)) {
            return findLocked(scratch);
        }
    }

    /** The same with the monitor of the hash held. */
    boolean findLocked(Scratch scratch) {
        scratch.seen = index.state();
        long buckets = LinearHashing.buckets(scratch.seen);
        long bucket = LinearHashing.bucket(scratch.hash, buckets);
        long first = Index.line(bucket);
        while (true) {
            try {
                index.loadCounters(scratch, buckets, bucket);
                int found = findInLines(first, scratch);
                if (found != CHANGING) {
                    return found == FOUND;
                }
            } catch (StaleHandleException _) {
                index.dropStaleLocked(first);
            }
        }
    }

    /**
     * The same where {@link #find} has found an entry, which mostly is there still: it is if its
     * line has the version that it had, and nothing has moved. The scratch says then whether it is
     * the same entry with the same value. Another version may be due to another key of the line, so
     * then the bytes are compared.
     */
    boolean findAgainLocked(Scratch scratch) {
        if (isUnchangedLocked(scratch)) {
            try {
                if (entries.layout.expires()) {
                    scratch.deadline = entries.deadline(scratch.handle);
                }
                scratch.isUnchanged = true;
                return true;
            } catch (StaleHandleException _) {
                // Left by an error.
            }
        }
        long handle = scratch.handle;
        byte[] before = null;
        if (handle != Store.NONE && scratch.isCopied) {
            before = Arrays.copyOf(scratch.entry, (int) scratch.entryBytes);
        }
        boolean found = findLocked(scratch);
        scratch.isUnchanged =
                found
                        && scratch.handle == handle
                        && (before == null || entries.layout.isSame(before, scratch));
        return found;
    }

    /** The lane has that entry still, but for errors. */
    private boolean isUnchangedLocked(Scratch scratch) {
        try {
            if (scratch.handle == 0) {
                return false;
            }
            scratch.word = lines.getAcquire(scratch.line, 0);
            return BucketLayout.isSameVersion(lines.getAcquire(scratch.line, LINK), scratch.version)
                    && scratch.seen == index.state()
                    && !BucketLayout.isFree(scratch.word, scratch.lane)
                    && index.handle(scratch.line, scratch.lane) == scratch.handle;
        } catch (IllegalStateException | IndexOutOfBoundsException _) {
            return false; // the line was given back, or the cache was closed
        }
    }

    /**
     * What is found is in the scratch.
     *
     * <p>The version is read before tags and handles: if it is that after an entry has left the
     * line, or was replaced, these are seen as they are after it, too. And it is looked at again
     * also where the copy has another key: that may be of a later use of the entry.
     */
    private int findInLines(long first, Scratch scratch) {
        int tag = BucketLayout.tag(scratch.hash);
        long line = first;
        while (true) {
            MemorySegment chunk = lines.chunkOf(line);
            long at = Lines.offset(line);
            long version = Lines.getAcquire(chunk, at, LINK);
            long word = Lines.getAcquire(chunk, at, 0);
            long marks = BucketLayout.matches(word, tag);
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                int piece = Lines.piece(chunk, at, lane);
                if (!BucketLayout.hasTag(piece, tag)) {
                    continue;
                }
                long handle = entries.handle(piece, Lines.generation(chunk, at, lane));
                VarHandle.acquireFence(); // who sees a handle sees what its entry was written
                boolean matches = entries.matches(handle, scratch);
                VarHandle.acquireFence(); // the entry was read before this
                if (!BucketLayout.isSameVersion(Lines.getAcquire(chunk, at, LINK), version)) {
                    return CHANGING;
                }
                if (matches) {
                    scratch.version = version;
                    scratch.word = word;
                    scratch.line = line;
                    scratch.lane = lane;
                    scratch.handle = handle;
                    return FOUND;
                }
            }
            long link = BucketLayout.link(Lines.getAcquire(chunk, at, LINK));
            if (link == 0) {
                scratch.handle = 0;
                return NONE;
            }
            line = -link;
        }
    }

    /** Looks for the lane of an entry, without a lock; returns whether it is there. */
    boolean locate(long hash, long handle, Lane at) {
        at.handle = handle;
        at.bucket = LinearHashing.bucket(hash, index.buckets());
        at.line = Index.line(at.bucket);
        do {
            at.word = lines.getAcquire(at.line, 0);
            long marks = BucketLayout.matches(at.word, BucketLayout.tag(hash));
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                at.lane = BucketLayout.first(marks);
                if (index.handle(at.line, at.lane) == handle) {
                    return true;
                }
            }
            at.line = lines.next(at.line);
        } while (at.line != 0);
        return false;
    }
}
