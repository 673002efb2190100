package io.polder.cache;

import io.polder.cache.Computations.Computation;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.StaleHandleException;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A cache of bytes: entries in a heap, an index of their handles, and what keeps both within
 * limits.
 *
 * <pre>{@code
 *   put:   Lookup, what is there, without a lock
 *            |--> nothing, or it is large: room by Eviction --> object of the heap --+
 *            +--> Recycled: an object of that size, written anew --------------------+
 *          Index, with a monitor <---------------------------------------------------+
 *            +--> the old one to Recycled, or freed
 *   get:   Lookup --> object, without a lock
 * }</pre>
 *
 * <p>Who takes an entry from the index owns it: he tells the {@link Removals} of it and frees it.
 *
 * <p>Thread-safe.
 */
final class Store {
    /** Any entry, or none. */
    static final long ANY = -1;

    /** No entry. */
    static final long NONE = 0;

    /** In answers: there was no line for another entry. */
    static final long NO_LINE = -2;

    /** In answers: the entry that must be there is, but it may be another value's by now. */
    static final long CHANGED = -3;

    private static final int STEPS = 3; // buckets that one operation splits or merges, at most

    /** How often room is made for an entry, before it is refused. */
    private static final int ATTEMPTS = 4;

    /** How long a put waits for compaction that is late, and how often it looks. */
    private static final long LATE_NANOS = 50_000_000;

    private static final long LATE_LOOK_NANOS = 500_000;

    /** Is told of each entry before it is freed. */
    interface Removals {
        void removed(long handle, RemovalCause cause);
    }

    final Scratches scratches = new Scratches();
    final Computations computations = new Computations();
    final Counts counts = new Counts();
    final Entries entries;
    final Lines lines;
    final Index index;
    final Lookup lookup;
    final Budget budget;
    final Resizing resizing;
    final Eviction eviction;
    final Removals removals;
    final Recycled recycled;
    final Shrinking shrinking;
    final Touching touching;
    private final LongSupplier clock;

    /**
     * Without entries.
     *
     * @param poolBytesMax what the pool of the heap may have
     * @param clock nanoseconds since the cache was built
     */
    Store(
            RelocatingHeap heap,
            Lines lines,
            Entries entries,
            long poolBytesMax,
            long bytesMax,
            long entriesMax,
            LongSupplier clock,
            Removals removals) {
        this.entries = entries;
        this.lines = lines;
        this.clock = clock;
        this.removals = removals;
        this.index = new Index(lines, entries, counts, entriesMax);
        this.recycled = new Recycled(index, counts);
        this.lookup = new Lookup(index);
        this.budget = new Budget(counts, lines, heap, poolBytesMax, bytesMax, entriesMax);
        this.resizing = new Resizing(index, scratches);
        this.eviction = new Eviction(this);
        this.shrinking = new Shrinking(this);
        this.touching = new Touching(this);
    }

    long now() {
        return clock.getAsLong();
    }

    /** Whether an entry with this deadline has expired; asks no clock where none does. */
    boolean isExpired(long deadline) {
        return entries.layout.expires() && deadline <= now();
    }

    /** Whether there is an entry of the key in hand that has not expired. */
    boolean find(Scratch scratch) {
        while (lookup.find(scratch)) {
            if (!isExpired(scratch.deadline)) {
                return true;
            }
            if (expire(scratch)) {
                return false;
            }
        }
        return false;
    }

    /** Removes the entry that was found, which has expired; returns false if there is another. */
    private boolean expire(Scratch found) {
        long expired;
        synchronized (index.monitor(found.hash)) {
            if (!lookup.findAgainLocked(found)) {
                return true;
            }
            if (!isExpired(found.deadline)) {
                return false;
            }
            expired = removeExpiredLocked(found);
        }
        eviction.expiredBytes.getAndAdd(Entries.footprint(found.entryBytes));
        retire(expired, RemovalCause.EXPIRED);
        return true;
    }

    /** Returns what is the caller's to retire. */
    private long removeExpiredLocked(Scratch found) {
        long expired = found.handle;
        counts.removed(Entries.footprint(found.entryBytes), index.removeLocked(found));
        found.handle = NONE;
        return expired;
    }

    /** Removes an entry that has expired; returns false if it has not, or is gone. */
    private boolean expire(long bucket, long handle) {
        long footprint = evict(bucket, handle, RemovalCause.EXPIRED);
        eviction.expiredBytes.getAndAdd(footprint);
        return footprint != 0;
    }

    /**
     * Has an entry evicted. No lock is held.
     *
     * @param hash of its key; or its bucket, where it does not matter that it stays if it has moved
     * @return what it took; 0 if it is gone, or if it should have expired and expires later now
     */
    long evict(long hash, long handle, RemovalCause cause) {
        long footprint;
        synchronized (index.monitor(hash)) {
            if (cause == RemovalCause.EXPIRED && !hasExpired(handle)) {
                return 0;
            }
            long bucket = LinearHashing.bucket(hash, index.buckets());
            int laneState = index.removeLocked(bucket, handle);
            if (laneState < 0) {
                return 0;
            }
            footprint = entries.footprintOf(handle);
            counts.removed(footprint, laneState);
        }
        retire(handle, cause);
        return footprint;
    }

    /** Whether it has expired, and is there still. */
    boolean hasExpired(long handle) {
        return entries.layout.expires() && hasExpired(handle, now());
    }

    /** The same at a moment, in a cache whose entries expire. */
    boolean hasExpired(long handle, long now) {
        try {
            return entries.deadline(handle) <= now;
        } catch (StaleHandleException _) {
            return false; // others have removed it
        }
    }

    /** How often an entry was asked for; -1 if it is gone, or leaves now since it has expired. */
    int frequency(long bucket, long handle, Scratch scratch) {
        long hash;
        try {
            hash = entries.hash(handle, scratch);
        } catch (StaleHandleException _) {
            return -1;
        }
        if (isExpired(scratch.deadline)) {
            boolean _ = expire(bucket, handle);
            return -1;
        }
        if (LinearHashing.bucket(hash, index.buckets()) != bucket) {
            drop(bucket, handle, scratch);
            return -1;
        }
        return index.frequency(hash);
    }

    /**
     * Looks where the index has an entry.
     *
     * @param at gets that
     * @return whether it has it; not if it must stay, or leaves now since it has expired
     */
    boolean locate(long handle, Lane at, Scratch scratch) {
        // Many were replaced since a hand asked for them; an exception costs more.
        if (handle == scratch.spared || !entries.heap.isLive(handle)) {
            return false;
        }
        try {
            long _ = entries.hash(handle, scratch);
        } catch (StaleHandleException _) {
            return false;
        }
        if (!lookup.locate(scratch.hash, handle, at)) {
            return false;
        }
        if (isExpired(scratch.deadline)) {
            boolean _ = expire(at.bucket, handle);
            return false;
        }
        return true;
    }

    /** Takes a copy from where nobody looks for it: an error kept a split from doing that. */
    private void drop(long bucket, long handle, Scratch scratch) {
        synchronized (index.monitor(bucket)) {
            long buckets = index.buckets();
            try {
                long hash = entries.hash(handle, scratch); // that of an entry that stays, now
                if (bucket < buckets && LinearHashing.bucket(hash, buckets) != bucket) {
                    int _ = index.removeLocked(bucket, handle);
                }
            } catch (StaleHandleException _) {
                // Freed meanwhile.
            }
        }
    }

    /** Frees what was taken from the index. */
    void retire(long handle, RemovalCause cause) {
        try {
            removals.removed(handle, cause);
        } finally {
            entries.heap.free(handle);
            recycled.trim(handle);
        }
    }

    /** Keeps what was replaced for another put, or frees it. */
    void retireReplaced(long handle, long footprint) {
        try {
            removals.removed(handle, RemovalCause.REPLACED);
        } finally {
            if (!recycled.keep(handle, footprint)) {
                entries.heap.free(handle);
            }
        }
    }

    /**
     * Puts an entry in the place of another one of the key in hand. Takes least time if that is in
     * the scratch, which says then whether the index may have the new one, also where this throws.
     *
     * @param expected the entry that must be there: {@link #ANY}, {@link #NONE}, or the one in the
     *     scratch, with the value that was found; otherwise nothing changes
     * @param handle the entry to put; {@link #NONE} to remove
     * @param own the computation that ends with this
     * @return what was there before, and is the caller's to retire if the exchange was done; {@link
     *     #NO_LINE} if another entry needs a line first, or {@link #CHANGED}
     */
    long exchange(Scratch scratch, long expected, long handle, @Nullable Computation own) {
        while (true) {
            Computation other;
            long expired = NONE;
            synchronized (index.monitor(scratch.hash)) {
                other = computations.find(scratch, own);
                if (other == null) {
                    boolean found = lookup.findAgainLocked(scratch);
                    if (!found || !isExpired(scratch.deadline)) {
                        return exchangeLocked(scratch, expected, handle, found);
                    }
                    expired = removeExpiredLocked(scratch);
                }
            }
            if (other != null) {
                await(other, handle);
            } else {
                retire(expired, RemovalCause.EXPIRED);
            }
        }
    }

    /** The time of an entry begins when it is put, and not before the wait. */
    private void await(Computation other, long handle) {
        if (handle == NONE || !entries.layout.expires()) {
            other.await();
            return;
        }
        long begin = now();
        other.await();
        entries.delay(handle, Math.max(0, now() - begin));
    }

    private long exchangeLocked(Scratch scratch, long expected, long handle, boolean found) {
        long was = found ? scratch.handle : NONE;
        if (expected != ANY && expected != was) {
            return was;
        }
        if (expected != ANY && found && !scratch.isUnchanged) {
            return CHANGED;
        }
        if (handle == NONE) {
            if (found) {
                counts.removed(Entries.footprint(scratch.entryBytes), index.removeLocked(scratch));
            }
        } else if (found) {
            scratch.isPut = true;
            index.replaceLocked(scratch, handle);
            index.hit(scratch);
            counts.replaced(scratch.putFootprint - Entries.footprint(scratch.entryBytes));
        } else {
            scratch.isPut = true;
            if (!index.insertLocked(scratch.hash, handle, BucketLayout.YOUNG)) {
                scratch.isPut = false;
                return NO_LINE;
            }
            counts.added(scratch.putFootprint);
            index.count(scratch.hash);
        }
        return was;
    }

    /**
     * Begins a computation, after those of other threads for its key. Whatever is thrown, the
     * caller ends it.
     */
    void begin(Computation own) {
        while (true) {
            Computation other;
            synchronized (index.monitor(own.hash())) {
                other = computations.beginLocked(own);
            }
            if (other == null) {
                return;
            }
            other.await();
        }
    }

    /**
     * Makes room for an entry of this size, as far as that does not take long.
     *
     * @param key with the entry that was found, if there is one
     * @return false if the entry must not be made, since it is too large for the pool, or since
     *     compaction gets on badly
     */
    private boolean makeRoom(Scratch key, long bytes) {
        if (budget.isTooLargeForPool(Entries.footprint(bytes))) {
            return false;
        }
        prepare();
        eviction.makeRoom(key, Entries.footprint(bytes));
        budget.put(bytes);
        if (budget.isLate()) {
            awaitCompaction();
        }
        return !budget.isFull();
    }

    /**
     * Makes an entry, which is in no index yet. The one that its key has is in the scratch.
     *
     * @return its handle; 0 if there is no memory for it
     */
    long create(Scratch key, MemorySegment content) {
        long bytes = content.byteSize();
        key.putFootprint = Entries.footprint(bytes);
        long used = recycle(key, content);
        if (used != NONE) {
            return used;
        }
        return allocate(key, bytes, content);
    }

    /**
     * Makes an entry, with a content or of zeros.
     *
     * @return its handle; {@link #NONE} if there is no memory for it, or no handle: then an entry
     *     leaves, whose handle others may have
     */
    long allocate(Scratch key, long bytes, @Nullable MemorySegment content) {
        if (!makeRoom(key, bytes)) {
            return NONE;
        }
        long handle = entries.tryAllocate(bytes, content);
        for (int i = 0; handle == NONE && i < ATTEMPTS && shrinking.free(bytes) != 0; i++) {
            handle = entries.tryAllocate(bytes, content);
        }
        if (handle == NO_LINE) {
            long _ = eviction.free(1);
            return NONE;
        }
        return handle;
    }

    /**
     * Writes an entry that was replaced anew, for a key that has an entry.
     *
     * @param key with the entry that was found
     * @return its handle; {@link #NONE} if none can be used
     */
    private long recycle(Scratch key, MemorySegment content) {
        if (key.handle == NONE || content.byteSize() > Scratch.ENTRY_BYTES) {
            return NONE;
        }
        eviction.makeRoom(key, key.putFootprint);
        return recycled.take(content);
    }

    /**
     * Lets compaction in the background catch up. Not for long: it may wait for somebody who reads
     * an entry, and he for this thread.
     */
    private void awaitCompaction() {
        long begin = System.nanoTime();
        boolean interrupted = false;
        while (budget.isLate() && System.nanoTime() - begin < LATE_NANOS) {
            interrupted |= Thread.interrupted(); // which would have it not wait
            LockSupport.parkNanos(this, LATE_LOOK_NANOS);
            budget.measure();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        budget.waited();
    }

    /** Has lines ready for an entry; whether there are any. */
    boolean prepare() {
        try {
            resizing.prepare();
        } catch (OutOfMemoryError noMemory) {
            if (index.spill.spare() == 0) {
                return false;
            }
        }
        return true;
    }

    /** Has the index follow the number of entries. */
    void resize() {
        try {
            resizing.step(counts.entries.get(), STEPS);
        } catch (OutOfMemoryError _) {
            // Its buckets get fuller than they should be until there is memory.
        } catch (IllegalStateException thrown) {
            if (!lines.isPoolClosed()) {
                throw thrown;
            }
        }
    }

    /** How much an entry is wanted, by its front. */
    int score(byte[] entry) {
        Scratch scratch = scratches.take();
        try {
            entries.setKey(entry, scratch);
            int hits = lookup.find(scratch) ? index.hits(scratch) : 0;
            return hits * (SketchLayout.COUNT_MAX + 1) + index.frequency(scratch.hash);
        } finally {
            scratches.give(scratch);
        }
    }

    /**
     * Removes all entries that are there now, or those that have expired.
     *
     * @param cause as that of {@link Taken}
     */
    void clear(RemovalCause cause) {
        Cursor cursor = new Cursor(this);
        boolean more = true;
        while (more) {
            more = clearNext(cursor, cause);
        }
        long _ = recycled.clear();
    }

    private boolean clearNext(Cursor cursor, RemovalCause cause) {
        Taken taken = new Taken(this, cause);
        try {
            return cursor.visitNext(taken);
        } finally {
            taken.retire();
        }
    }
}
