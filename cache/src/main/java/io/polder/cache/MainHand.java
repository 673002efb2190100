package io.polder.cache;

import io.polder.cache.PageOrder.Group;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Goes round the entries of main and stops at those without hits, which leave next; others lose a
 * hit. In the {@linkplain PageOrder order of pages}, or else, where there is none, in that of
 * buckets: of a bucket's entries without hits, the one that was asked for least leaves next, and
 * when there are none, the others lose a hit.
 *
 * <p>In the order of pages it also meets entries on probation. One that it meets a second time was
 * forgotten there, and leaves next as well.
 *
 * <p>Any thread may move it at any time. It stays where it stopped until somebody {@linkplain #pass
 * passes} that entry.
 */
final class MainHand {
    /** Entries of a page that are looked at for one stop; about as many as a bucket has. */
    static final int LOOKS = 5;

    private final Store store;
    private final Index index;
    private final Lines lines;
    private final PageOrder pages;
    private final AtomicLong buckets = new AtomicLong();

    MainHand(Store store) {
        this.store = store;
        this.index = store.index;
        this.lines = store.lines;
        this.pages = new PageOrder(store.entries.heap, true);
    }

    /**
     * Looks at some entries until one has no hits.
     *
     * @return whether there was one, which is the scratch's rival then
     */
    boolean stop(Scratch scratch) {
        Group group = pages.group();
        scratch.rival.group = group;
        return group == null ? stopInBucket(scratch) : stopInPage(group, scratch);
    }

    /** Goes on behind the rival, unless somebody else has. */
    void pass(Lane rival) {
        if (rival.group == null) {
            boolean _ = buckets.compareAndSet(rival.turn, rival.turn + 1L);
        } else {
            boolean _ = rival.group.pass((int) rival.turn);
        }
    }

    private boolean stopInPage(Group group, Scratch scratch) {
        Lane rival = scratch.rival;
        for (int i = 0; i < LOOKS; i++) {
            rival.turn = group.turn();
            long handle = group.handle((int) rival.turn);
            if (handle == 0) {
                return false;
            }
            if (store.locate(handle, rival, scratch)
                    && (scratch.ignoresHits || isWithoutHits(rival))) {
                rival.frequency = index.frequency(scratch.hash);
                return true;
            }
            pass(rival);
        }
        return false;
    }

    private boolean isWithoutHits(Lane rival) {
        int state = rival.state();
        if (state == BucketLayout.MAIN || isForgotten(state)) {
            return true;
        }
        int next = BucketLayout.isMain(state) ? state - 1 : state | BucketLayout.OLD;
        boolean _ = index.setState(rival.line, rival.lane, rival.word, next);
        return false;
    }

    private static boolean isForgotten(int state) {
        return !BucketLayout.isMain(state) && state >= BucketLayout.OLD;
    }

    private boolean stopInBucket(Scratch scratch) {
        Lane rival = scratch.rival;
        rival.turn = buckets.get();
        rival.bucket = rival.turn % index.buckets();
        if (findLeastWanted(scratch)) {
            return true;
        }
        takeHits(rival.bucket);
        pass(rival);
        return false;
    }

    /** The entry of main without hits in a bucket that was asked for least, if there is one. */
    private boolean findLeastWanted(Scratch scratch) {
        Lane rival = scratch.rival;
        rival.frequency = Integer.MAX_VALUE;
        long line = Index.line(rival.bucket);
        do {
            long word = lines.getAcquire(line, 0);
            long marks = BucketLayout.main(word);
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                long handle = index.handle(line, lane);
                boolean hasHits = BucketLayout.state(word, lane) != BucketLayout.MAIN;
                if ((!hasHits || scratch.ignoresHits) && handle != scratch.spared) {
                    int frequency = store.frequency(rival.bucket, handle, scratch);
                    if (frequency >= 0 && frequency < rival.frequency) {
                        rival.frequency = frequency;
                        rival.handle = handle;
                    }
                }
            }
            line = lines.next(line);
        } while (line != 0);
        return rival.frequency != Integer.MAX_VALUE;
    }

    /** The entries of main in a bucket lose a hit each. */
    private void takeHits(long bucket) {
        long line = Index.line(bucket);
        do {
            long word = lines.getAcquire(line, 0);
            long marks = BucketLayout.main(word);
            for (; marks != 0; marks = BucketLayout.rest(marks)) {
                int lane = BucketLayout.first(marks);
                int was = BucketLayout.state(word, lane);
                if (was > BucketLayout.MAIN && index.setState(line, lane, word, was - 1)) {
                    word = lines.getAcquire(line, 0);
                }
            }
            line = lines.next(line);
        } while (line != 0);
    }
}
