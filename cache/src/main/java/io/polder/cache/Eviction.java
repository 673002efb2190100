package io.polder.cache;

import static io.polder.cache.BucketLayout.HANDLES;
import static io.polder.cache.BucketLayout.LINK;

import io.polder.heap.StaleHandleException;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses which entries leave a cache that is full.
 *
 * <pre>{@code
 *              probation: a share of the entries              main: the others
 *
 *   put -->  young --first visit--> old --second visit--> wins --> 0 hits .. 3 hits
 *                                    |                             ^   |
 *                                    |     asked for more often    |   | a visit takes one
 *                                    |     than the next entry     +---+
 *                                    |     of main without hits?   |
 *                                    v                             v
 *                                  loses: evicted          loses: evicted
 * }</pre>
 *
 * <p>No queue: a hand goes round the buckets for each of the two groups, and looks at the lanes of
 * its group only. Hashes scatter entries over the buckets. So an entry on probation stays for one
 * to two turns of its hand, as in a queue, and a hand finds the next entry by reading lines one
 * after the other.
 *
 * <p>How often an entry was asked for is what {@link SketchLayout} has counted: also for keys that
 * were not in the cache. So a scan evicts little but itself, and a part of a loop stays that does
 * not fit.
 *
 * <p>Any thread may turn a hand at any time; two threads visit different buckets. A hand takes no
 * monitor but to remove an entry.
 */
final class Eviction {
    /** Buckets that are visited for one put, at most; more where many are empty. */
    private static final int VISITS_MAX = 64;

    /** The same while there is far too much. */
    private static final int VISITS_MAX_LATE = 512;

    /** An entry leaves after six turns of both hands if it has all hits. */
    private static final long TURNS_MAX = 16;

    /** Buckets in which a rival is looked for. */
    private static final int RIVAL_BUCKETS = 8;

    /**
     * A rival that wins stays the next one, but for one time in so many. Measured: if it always
     * stays, one that was wanted long ago keeps newer ones out; if it never does, candidates win
     * against some rival in the end, by what the sketch errs, and a loop gets fewer hits.
     */
    private static final int WINS = 16;

    /** Within this, in thousandths, a group has its share, and entries compete for their place. */
    private static final int TOLERANCE = 20;

    private final Store store;
    private final Index index;
    private final Lines lines;
    private final Counts counts;
    private final AtomicLong probationHand = new AtomicLong();
    private final AtomicLong mainHand = new AtomicLong();
    private int wins;
    private final AtomicLong expiryHand = new AtomicLong();

    /** Entries and bytes that were evicted for want of room. */
    final AtomicLong evicted = new AtomicLong();

    final AtomicLong evictedBytes = new AtomicLong();

    private final ProbationShare share = new ProbationShare();

    Eviction(Store store) {
        this.store = store;
        this.index = store.index;
        this.lines = store.lines;
        this.counts = store.counts;
    }

    /**
     * Evicts for an entry that comes, as far as that does not take long. If its key has an entry,
     * that one stays, and only what the new one takes more needs room.
     */
    void makeRoom(Scratch key, long footprint) {
        if (!store.budget.isOver(footprint, 1)) {
            return;
        }
        Scratch scratch = store.scratches.take();
        try {
            scratch.borrowKey(key);
            if (index.find(scratch)) {
                scratch.spared = scratch.handle;
                makeRoom(footprint - Entries.footprint(scratch.entryBytes), 0, scratch);
            } else {
                makeRoom(footprint, 1, scratch);
            }
        } finally {
            store.scratches.give(scratch);
        }
    }

    private void makeRoom(long bytes, int entries, Scratch scratch) {
        long sparse = 1 + index.buckets() / (1 + counts.entries.get());
        long visits = sparse * (store.budget.isOver(0, 0) ? VISITS_MAX_LATE : VISITS_MAX);
        share.step(counts);
        while (visits > 0 && counts.entries.get() > 0 && store.budget.isOver(bytes, entries)) {
            visit(scratch);
            visits--;
        }
    }

    /** Evicts until there are not too many entries. */
    void shrink() {
        Scratch scratch = store.scratches.take();
        try {
            long idle = 0;
            while (idle < idleMax() && store.budget.hasTooManyEntries()) {
                idle = visitAndCount(idle, scratch);
            }
        } finally {
            store.scratches.give(scratch);
        }
    }

    /** Evicts for others, so many bytes if there are as many; returns how much. */
    long free(long bytes) {
        Scratch scratch = store.scratches.take();
        try {
            long before = evictedBytes.get();
            long freed = 0;
            long idle = 0;
            while (idle < idleMax() && freed < bytes) {
                idle = visitAndCount(idle, scratch);
                freed = evictedBytes.get() - before;
            }
            return freed;
        } finally {
            store.scratches.give(scratch);
        }
    }

    /** After so many visits without an eviction there is nothing to evict: each entry had some. */
    private long idleMax() {
        return counts.entries.get() <= 0 ? 0 : TURNS_MAX * index.buckets();
    }

    /** Visits a bucket; returns how many visits there were since the last eviction. */
    private long visitAndCount(long idle, Scratch scratch) {
        long before = evicted.get();
        visit(scratch);
        return evicted.get() == before ? idle + 1 : 0;
    }

    /** Visits one bucket. */
    private void visit(Scratch scratch) {
        long seen = index.state();
        try {
            visitNow(scratch);
        } catch (IllegalStateException | IndexOutOfBoundsException gone) {
            if (index.state() == seen) {
                throw gone; // closed; otherwise the lines went back meanwhile
            }
        }
    }

    private void visitNow(Scratch scratch) {
        long entries = counts.entries.get();
        long main = counts.main.get();
        if (main * 1000 > entries * (1000 - share.thousandths() + TOLERANCE) && main > 0) {
            visitMain(scratch);
        } else {
            visitProbation(next(probationHand), entries, scratch);
        }
    }

    private long next(AtomicLong hand) {
        return hand.getAndIncrement() % index.buckets();
    }

    private void visitProbation(long bucket, long entries, Scratch scratch) {
        long line = Index.line(bucket);
        while (true) {
            long word = lines.getAcquire(line, 0);
            for (long marks = BucketLayout.taken(word);
                    marks != 0;
                    marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                int was = BucketLayout.state(word, lane);
                if (was < BucketLayout.OLD) {
                    boolean _ = setState(line, lane, word, was | BucketLayout.OLD);
                } else if (!BucketLayout.isMain(was)) {
                    judge(bucket, line, lane, entries, scratch);
                }
                word = lines.getAcquire(line, 0);
                marks &= BucketLayout.taken(word);
                if (marks == 0) {
                    break;
                }
            }
            long link = lines.getAcquire(line, LINK);
            if (link == 0) {
                return;
            }
            line = -link;
        }
    }

    private boolean setState(long line, int lane, long word, int state) {
        int tag = BucketLayout.tag(word, lane);
        return lines.compareAndSet(line, 0, word, BucketLayout.with(word, lane, tag, state));
    }

    /** An entry's probation is over. */
    private void judge(long bucket, long line, int lane, long entries, Scratch scratch) {
        long handle = lines.getAcquire(line, HANDLES + lane);
        if (handle == scratch.spared) {
            return;
        }
        int candidate = frequency(bucket, handle, scratch);
        if (candidate < 0) {
            return;
        }
        if (counts.main.get() * 1000 < entries * (1000 - share.thousandths() - TOLERANCE)) {
            promote(line, lane);
            return;
        }
        if (!evictRival(candidate, scratch)) {
            evict(bucket, handle);
        } else {
            promote(line, lane);
        }
    }

    private void promote(long line, int lane) {
        long word = lines.getAcquire(line, 0);
        int was = BucketLayout.state(word, lane);
        boolean isCandidate = BucketLayout.tag(word, lane) != 0 && !BucketLayout.isMain(was);
        if (isCandidate && setState(line, lane, word, BucketLayout.MAIN)) {
            counts.main.getAndIncrement();
        }
    }

    /** How often an entry was asked for; -1 if it is gone, or leaves now since it has expired. */
    private int frequency(long bucket, long handle, Scratch scratch) {
        long hash;
        try {
            hash = store.entries.hash(handle, scratch);
        } catch (StaleHandleException _) {
            return -1;
        }
        if (scratch.deadline <= store.now()) {
            long _ = store.evict(bucket, handle, RemovalCause.EXPIRED);
            return -1;
        }
        if (LinearHashing.bucket(hash, index.buckets()) != bucket) {
            drop(bucket, handle, hash);
            return -1;
        }
        return index.frequency(hash);
    }

    /** Takes a copy from where nobody looks for it: an error kept a split from doing that. */
    private void drop(long bucket, long handle, long hash) {
        synchronized (index.monitor(bucket)) {
            if (bucket < index.buckets() && LinearHashing.bucket(hash, index.buckets()) != bucket) {
                int _ = index.removeLocked(bucket, handle);
            }
        }
    }

    private void evict(long bucket, long handle) {
        long footprint = store.evict(bucket, handle, RemovalCause.SIZE);
        if (footprint != 0) {
            evicted.getAndIncrement();
            evictedBytes.getAndAdd(footprint);
        }
    }

    /** Evicts the next entry of main, unless it was asked for as often as a candidate. */
    private boolean evictRival(int candidate, Scratch scratch) {
        for (int i = 0; i < RIVAL_BUCKETS; i++) {
            long turn = mainHand.get();
            long bucket = turn % index.buckets();
            long handle = nextWithoutHits(bucket, scratch.spared);
            int frequency = handle == 0 ? -1 : frequency(bucket, handle, scratch);
            if (handle == 0) {
                boolean _ = mainHand.compareAndSet(turn, turn + 1);
            } else if (frequency >= candidate) {
                if (++wins % WINS == 0) { // racy, and a hint
                    boolean _ = mainHand.compareAndSet(turn, turn + 1);
                }
                return false;
            } else if (frequency >= 0) {
                evict(bucket, handle);
                return true;
            }
        }
        return false;
    }

    private void visitMain(Scratch scratch) {
        long turn = mainHand.get();
        long bucket = turn % index.buckets();
        long handle = nextWithoutHits(bucket, scratch.spared);
        if (handle == 0) {
            boolean _ = mainHand.compareAndSet(turn, turn + 1);
        } else if (frequency(bucket, handle, scratch) >= 0) {
            evict(bucket, handle);
        }
    }

    /** The first entry of main without hits in a bucket, 0 if there is none; others lose one. */
    private long nextWithoutHits(long bucket, long spared) {
        long line = Index.line(bucket);
        while (true) {
            long word = lines.getAcquire(line, 0);
            for (long marks = BucketLayout.taken(word);
                    marks != 0;
                    marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                int was = BucketLayout.state(word, lane);
                long handle = lines.getAcquire(line, HANDLES + lane);
                if (was == BucketLayout.MAIN && handle != spared) {
                    return handle;
                }
                if (was != BucketLayout.MAIN
                        && BucketLayout.isMain(was)
                        && setState(line, lane, word, was - 1)) {
                    word = lines.getAcquire(line, 0);
                }
            }
            long link = lines.getAcquire(line, LINK);
            if (link == 0) {
                return 0;
            }
            line = -link;
        }
    }

    /** Removes what has expired from the next buckets. */
    void sweep(long buckets, Scratch scratch) {
        for (long i = 0; i < buckets; i++) {
            long bucket = next(expiryHand);
            long[] handles;
            synchronized (index.monitor(bucket)) {
                handles = bucket < index.buckets() ? index.handlesLocked(bucket) : new long[0];
            }
            for (long handle : handles) {
                try {
                    long _ = store.entries.hash(handle, scratch);
                } catch (StaleHandleException _) {
                    continue;
                }
                if (scratch.deadline <= store.now()) {
                    long _ = store.evict(bucket, handle, RemovalCause.EXPIRED);
                }
            }
        }
    }
}
