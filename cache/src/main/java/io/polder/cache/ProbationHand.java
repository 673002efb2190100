package io.polder.cache;

import io.polder.cache.PageOrder.Group;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Goes through the entries on probation and has those judged that were there for long enough.
 *
 * <pre>{@code
 *   order of pages     those that were put first, once each
 *   order of buckets   young --first visit--> old --second visit--> judged
 * }</pre>
 *
 * <p>What is put lies in new pages, one after the other. So the {@linkplain PageOrder order of
 * pages} is that of a queue, and a page is over when its entries are: those that lose leave
 * together. Where the heap names no pages, a hand goes round the buckets. Hashes scatter entries,
 * so one stays for one to two turns of that hand, and for as many more if it was asked for
 * meanwhile: best where keys are wanted for a short time, as a list of what was used last.
 *
 * <p>Any thread may move it at any time; two threads visit different entries.
 */
final class ProbationHand {
    private final Store store;
    private final Index index;
    private final Lines lines;
    private final PageOrder pages;
    private final AtomicLong buckets = new AtomicLong();
    private final Consumer<Scratch> judge;

    /**
     * A hand at the beginning.
     *
     * @param judge is given an entry whose probation is over, as the scratch's candidate
     */
    ProbationHand(Store store, Consumer<Scratch> judge) {
        this.store = store;
        this.index = store.index;
        this.lines = store.lines;
        this.pages = new PageOrder(store.entries.heap, false);
        this.judge = judge;
    }

    /** Visits some entries. */
    void visit(Scratch scratch) {
        Group group = pages.group();
        scratch.candidate.group = group;
        if (group == null) {
            visitNextBucket(scratch);
        } else {
            visitPage(group, scratch);
        }
    }

    /** Of few buckets, most of which have no entries on probation, those are passed. */
    private void visitNextBucket(Scratch scratch) {
        long seen = index.state();
        long count = LinearHashing.buckets(seen);
        if (count > index.bucketsMin()) {
            boolean _ = visitBucket(buckets.getAndIncrement() % count, scratch);
            return;
        }
        long turn = buckets.get();
        long next = turn;
        while (next < turn + count && !index.onProbation[(int) (next % count)]) {
            next++;
        }
        if (buckets.compareAndSet(turn, next + 1)) {
            visitMarked((int) (next % count), seen, scratch);
        }
    }

    /** What is added while this looks is marked after that; what was moved meanwhile, by this. */
    private void visitMarked(int bucket, long seen, Scratch scratch) {
        boolean[] marks = index.onProbation;
        boolean hasNone = false;
        try {
            marks[bucket] = false;
            VarHandle.fullFence();
            hasNone = !visitBucket(bucket, scratch) && index.state() == seen;
        } finally {
            if (!hasNone) {
                marks[bucket] = true;
            }
        }
    }

    private void visitPage(Group group, Scratch scratch) {
        Lane candidate = scratch.candidate;
        for (int i = 0; i < MainHand.LOOKS; i++) {
            int turn = group.turn();
            long handle = group.handle(turn);
            if (handle == 0) {
                return;
            }
            if (group.pass(turn)
                    && store.locate(handle, candidate, scratch)
                    && !BucketLayout.isMain(candidate.state())) {
                candidate.frequency = index.frequency(scratch.hash);
                judge.accept(scratch);
            }
        }
    }

    /** Returns whether there were entries on probation. */
    private boolean visitBucket(long bucket, Scratch scratch) {
        boolean met = false;
        long line = Index.line(bucket);
        do {
            long word = lines.getAcquire(line, 0);
            long marks = BucketLayout.onProbation(word);
            met |= marks != 0;
            while (marks != 0) {
                int lane = BucketLayout.first(marks);
                int was = BucketLayout.state(word, lane);
                if (was < BucketLayout.OLD) {
                    boolean _ = index.setState(line, lane, word, was | BucketLayout.OLD);
                } else {
                    visitOld(bucket, line, lane, word, scratch);
                }
                word = lines.getAcquire(line, 0);
                marks = BucketLayout.rest(marks) & BucketLayout.onProbation(word);
            }
            line = lines.next(line);
        } while (line != 0);
        return met;
    }

    private void visitOld(long bucket, long line, int lane, long word, Scratch scratch) {
        Lane candidate = scratch.candidate;
        candidate.handle = index.handle(line, lane);
        candidate.bucket = bucket;
        candidate.line = line;
        candidate.lane = lane;
        candidate.word = word;
        if (candidate.handle != scratch.spared) {
            candidate.frequency = store.frequency(bucket, candidate.handle, scratch);
            if (candidate.frequency >= 0) {
                judge.accept(scratch);
            }
        }
    }
}
