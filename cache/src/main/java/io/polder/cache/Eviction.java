package io.polder.cache;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses which entries leave a cache that is full.
 *
 * <pre>{@code
 *              probation: a share of the entries              main: the others
 *
 *   put -->  young --first visit--> old --second visit--> wins --> 0 hits .. 3 hits
 *              ^                     |                             ^   |
 *              |                     |     asked for more often    |   | a visit takes one
 *              |                     |     than the next entry     +---+
 *              |                     |     of main without hits?   |
 *              |                     v                             v
 *              +-- by buckets, --- loses: evicted          loses: evicted
 *                  if it has a hit
 * }</pre>
 *
 * <p>No queue: a hand goes through the entries of each of the two groups, {@link ProbationHand}
 * and {@link MainHand}, in the {@linkplain PageOrder order of the heap's pages}; in that of buckets
 * where the heap names no pages.
 *
 * <p>How often an entry was asked for is what {@link SketchLayout} has counted: also for keys that
 * were not in the cache. So a scan evicts little but itself, and a part of a loop stays that does
 * not fit.
 *
 * <p>Any thread may move a hand at any time. A hand takes no monitor of a bucket but to remove an
 * entry.
 */
final class Eviction {
    /** Visits for one put, at most: of a bucket, or as many entries; more where many are empty. */
    private static final int VISITS_MAX = 64;

    /** The same while there is far too much. */
    private static final int VISITS_MAX_LATE = 512;

    /**
     * An entry leaves after eight turns of both hands if it has all hits. Where there are few
     * buckets threads may give hits as fast as hands take them: in the other eight turns they do
     * not count.
     */
    private static final long TURNS_MAX = 16;

    /** How often a rival is looked for. */
    private static final int STOPS = 8;

    /**
     * A rival that wins stays the next one, but for one time in so many. Measured: if it always
     * stays, one that was wanted long ago keeps newer ones out; if it never does, candidates win
     * against some rival in the end, by what the sketch errs, and a loop gets fewer hits.
     */
    private static final int WINS = 16;

    /**
     * A rival that was counted so often is not beaten by one count more. Measured: a margin for
     * less keeps out what has become wanted.
     */
    private static final int MARGIN_FROM = 4;

    /** Within this, in thousandths, a group has its share, and entries compete for their place. */
    private static final int TOLERANCE = 5;

    /** One thread keeps the limits so often while others come. Guessed: more than ever meet. */
    private static final int TURNS_FOR_OTHERS = 1000;

    private final Store store;
    private final Index index;
    private final Lines lines;
    private final Counts counts;
    private final ProbationHand probationHand;
    private final MainHand mainHand;
    private int wins;

    /** Of who keeps the limits. */
    private final Baton baton = new Baton();

    private final AtomicLong expiryHand = new AtomicLong();

    /** Entries and bytes that were evicted for want of room. */
    final AtomicLong evicted = new AtomicLong();

    final AtomicLong evictedBytes = new AtomicLong();

    /** Bytes of those that a hand, or somebody who asked for them, found expired. */
    final AtomicLong expiredBytes = new AtomicLong();

    private final ProbationShare share = new ProbationShare();

    Eviction(Store store) {
        this.store = store;
        this.index = store.index;
        this.lines = store.lines;
        this.counts = store.counts;
        this.probationHand = new ProbationHand(store, this::judge);
        this.mainHand = new MainHand(store);
    }

    /**
     * Evicts for an entry that comes, as far as that does not take long. If its key has an entry,
     * that one stays, and only what the new one takes more needs room.
     *
     * @param key with the entry that was found, if there is one
     */
    void makeRoom(Scratch key, long footprint) {
        boolean isNew = key.handle == Store.NONE;
        long bytes = isNew ? footprint : footprint - Entries.footprint(key.entryBytes);
        int entries = isNew ? 1 : 0;
        if (!store.budget.isOver(bytes, entries)) {
            return;
        }
        Scratch scratch = key.inner();
        scratch.spared = key.handle;
        try {
            makeRoom(bytes, entries, entries, scratch);
        } finally {
            scratch.clear();
        }
    }

    /**
     * Evicts what is too much, though room was made for each entry: others may have come into it.
     * One thread does so at a time, since several would each evict one entry for the same one that
     * is too many. It looks again after its turn: those who came meanwhile rely on it. So it does
     * where its visits were in vain and there are few buckets: an entry that it has not met may
     * have been in the hands of somebody who came meanwhile. While it is held up, as by a listener
     * that it tells, as many may be too many as come meanwhile; and so it is if it throws.
     */
    void keepLimits() {
        boolean goesOn = true;
        for (int i = 0; goesOn && i < TURNS_FOR_OTHERS; i++) {
            if (!store.budget.isOver(0, 0) || !baton.take()) {
                return;
            }
            try {
                Scratch scratch = store.scratches.take();
                try {
                    makeRoom(0, 0, Integer.MAX_VALUE, scratch);
                } finally {
                    store.scratches.give(scratch);
                }
                goesOn = !store.budget.isOver(0, 0);
            } finally {
                baton.isTaken = false; // in place: it needs no stack
            }
            goesOn |= baton.isAsked && hasFewBuckets() && counts.entries.get() > 0;
        }
    }

    /**
     * Evicts for so many bytes and entries, as far as that does not take long.
     *
     * @param evictedMax how many leave for the number of entries: who puts one evicts one for it
     */
    private void makeRoom(long bytes, int entries, int evictedMax, Scratch scratch) {
        long sparse = 1 + index.buckets() / (1 + counts.entries.get());
        long visits = sparse * (store.budget.isOver(0, 0) ? VISITS_MAX_LATE : VISITS_MAX);
        if (hasFewBuckets()) {
            visits = idleMax(); // some turns of a small cache do not take long
        }
        long last = hasFewBuckets() ? visits / 2 : 0;
        share.step(counts);
        scratch.evicted = 0;
        while (visits > 0
                && counts.entries.get() > 0
                && (store.budget.hasTooManyBytes(bytes)
                        || (scratch.evicted < evictedMax
                                && store.budget.hasTooManyEntries(entries)))) {
            scratch.ignoresHits = visits <= last;
            visit(scratch);
            visits--;
        }
    }

    /** Evicts until there are not too many entries. */
    void shrink() {
        Scratch scratch = store.scratches.take();
        try {
            long idle = 0;
            while (idle < idleMax() && store.budget.hasTooManyEntries(0)) {
                scratch.ignoresHits = idle > idleMax() / 2;
                idle = visitAndCount(idle, scratch);
            }
        } finally {
            store.scratches.give(scratch);
        }
    }

    /** Evicts for others, so many bytes if there are as many; returns how much left. */
    long free(long bytes) {
        Scratch scratch = store.scratches.take();
        try {
            long before = goneBytes();
            long freed = 0;
            long idle = 0;
            while (idle < idleMax() && freed < bytes) {
                idle = visitAndCount(idle, scratch);
                freed = goneBytes() - before;
            }
            return freed;
        } finally {
            store.scratches.give(scratch);
        }
    }

    /** What has left since the cache was built. */
    long goneBytes() {
        return evictedBytes.get() + expiredBytes.get();
    }

    private boolean hasFewBuckets() {
        return index.buckets() <= Index.STRIPES_MAX;
    }

    /** After so many visits of which none was the last there is nothing to evict. */
    private long idleMax() {
        return counts.entries.get() <= 0 ? 0 : TURNS_MAX * index.buckets();
    }

    /** Visits a bucket; returns how many visits there were since an entry left. */
    private long visitAndCount(long idle, Scratch scratch) {
        long before = goneBytes();
        visit(scratch);
        return goneBytes() == before ? idle + 1 : 0;
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
        long main = counts.main.get();
        boolean isAllMain = main >= counts.entries.get(); // its share may be below the tolerance
        if (main > 0 && (isAllMain || isAboveShareOfMain(main, TOLERANCE))) {
            visitMain(scratch);
        } else {
            probationHand.visit(scratch);
        }
    }

    /** Whether so many entries are more than main should have, by so many thousandths of all. */
    private boolean isAboveShareOfMain(long main, int thousandths) {
        long should = counts.entries.get() * (1000 - share.thousandths() + thousandths);
        return main * 1000 > should;
    }

    /** The probation of the candidate is over. It competes unless main has room for one more. */
    private void judge(Scratch scratch) {
        Lane candidate = scratch.candidate;
        boolean hasRoom = !isAboveShareOfMain(counts.main.get() + 1, -TOLERANCE);
        if (hasRoom || evictRival(candidate.frequency, scratch)) {
            promote(candidate.line, candidate.lane);
        } else if (candidate.group == null
                && !scratch.ignoresHits
                && BucketLayout.hits(candidate.state()) > 0) {
            boolean _ =
                    index.setState(
                            candidate.line, candidate.lane, candidate.word, BucketLayout.YOUNG);
        } else {
            scratch.evicted += evict(candidate.bucket, candidate.handle) ? 1 : 0;
        }
    }

    private void promote(long line, int lane) {
        long word = lines.getAcquire(line, 0);
        int was = BucketLayout.state(word, lane);
        boolean isCandidate = !BucketLayout.isFree(word, lane) && !BucketLayout.isMain(was);
        if (isCandidate && index.setState(line, lane, word, BucketLayout.MAIN)) {
            counts.main.getAndIncrement();
        }
    }

    /** Has an entry leave for want of room, as {@link Store#evict} does; whether it was there. */
    boolean evict(long hash, long handle) {
        long footprint = store.evict(hash, handle, RemovalCause.SIZE);
        if (footprint == 0) {
            return false;
        }
        evicted.getAndIncrement();
        evictedBytes.getAndAdd(footprint);
        return true;
    }

    /** Evicts the next entry of main if a candidate was asked for clearly more often. */
    private boolean evictRival(int candidate, Scratch scratch) {
        for (int i = 0; i < STOPS; i++) {
            if (mainHand.stop(scratch)) {
                if (isWantedMore(candidate, scratch.rival.frequency)) {
                    evictRival(scratch);
                    return true;
                }
                if (++wins % WINS == 0) { // racy, and a hint
                    mainHand.pass(scratch.rival);
                }
                return false;
            }
        }
        return false;
    }

    /**
     * Whether a candidate is wanted more than a rival: by half, where enough was counted to tell.
     * What comes of a loop was counted once more than what is about to be asked for. A rival of
     * which nothing is known may have been counted once: keys that were take each other's slots.
     */
    private static boolean isWantedMore(int candidate, int rival) {
        int margin = rival < MARGIN_FROM ? 0 : rival / 2;
        return candidate > Math.max(1, rival) + margin;
    }

    private void visitMain(Scratch scratch) {
        if (mainHand.stop(scratch)) {
            evictRival(scratch);
        }
    }

    private void evictRival(Scratch scratch) {
        Lane rival = scratch.rival;
        if (evict(rival.bucket, rival.handle)) {
            scratch.evicted++;
        } else {
            mainHand.pass(rival); // it has left already
        }
    }

    /** Removes what has expired from the next bucket. */
    void sweep() {
        long bucket = expiryHand.getAndIncrement() % index.buckets();
        long[] handles;
        synchronized (index.monitor(bucket)) {
            handles = bucket < index.buckets() ? index.handlesLocked(bucket) : new long[0];
        }
        long now = store.now();
        for (long handle : handles) {
            if (store.hasExpired(handle, now)) {
                long _ = store.evict(bucket, handle, RemovalCause.EXPIRED);
            }
        }
    }
}
