package io.polder.cache;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks a cache that nobody uses:
 *
 * <pre>{@code
 *   each handle is live, in one lane alone, of the bucket of its key's hash, with its tag
 *   counts = what the lanes have      objects of the heap = entries
 *   a bucket has no more lines than its entries need
 *   of few buckets, one with an entry on probation is marked
 * }</pre>
 */
final class CacheCheck {
    private static final long WAIT_NANOS = 200_000_000_000L;

    private CacheCheck() {}

    static void verify(Store store) {
        Index index = store.index;
        Scratch scratch = Scratch.of(Scratch.NO_OWNER);
        Set<Long> handles = new HashSet<>();
        long main = 0;
        long bytes = 0;
        long buckets = index.buckets();
        for (long bucket = 0; bucket < buckets; bucket++) {
            long line = Index.line(bucket);
            int linesOfBucket = 0;
            int entriesOfBucket = 0;
            while (true) {
                linesOfBucket++;
                long word = index.lines.getAcquire(line, 0);
                for (int lane = 0; lane < BucketLayout.LANES; lane++) {
                    if (!BucketLayout.isFree(word, lane)) {
                        long handle = index.handle(line, lane);
                        entriesOfBucket++;
                        String where = "bucket=" + bucket + ", line=" + line + ", lane=" + lane;
                        check(handles.add(handle), "a handle is in one lane alone", where);
                        check(store.entries.heap.isLive(handle), "an entry is live", where);
                        long hash = store.entries.hash(handle, scratch);
                        check(
                                LinearHashing.bucket(hash, buckets) == bucket,
                                "an entry is in its bucket",
                                where);
                        check(
                                BucketLayout.tag(hash)
                                        == BucketLayout.tag(
                                                word, lane, index.lines.piece(line, lane)),
                                "a lane has the tag of its entry",
                                where);
                        boolean isMain = BucketLayout.isMain(BucketLayout.state(word, lane));
                        main += isMain ? 1 : 0;
                        check(
                                isMain
                                        || buckets > index.bucketsMin()
                                        || index.onProbation[(int) bucket],
                                "a hand passes no entry on probation",
                                where);
                        bytes += store.entries.footprintOf(handle);
                    }
                }
                long link = index.lines.link(line);
                if (link == 0) {
                    int lanes = (linesOfBucket - 1) * BucketLayout.LANES;
                    check(
                            lanes == 0 || entriesOfBucket > lanes,
                            "a bucket has no more lines than its entries need",
                            "bucket=" + bucket);
                    break;
                }
                line = -link;
            }
        }
        String counts =
                "entries="
                        + store.counts.entries
                        + ", main="
                        + store.counts.main
                        + ", bytes="
                        + store.counts.bytes
                        + "; in lanes: "
                        + handles.size()
                        + ", "
                        + main
                        + ", "
                        + bytes;
        check(store.counts.entries.get() == handles.size(), "entries are counted", counts);
        check(store.counts.main.get() == main, "entries of main are counted", counts);
        check(store.counts.bytes.get() == bytes, "bytes are counted", counts);
        long kept = verifyRecycled(store, handles);
        check(
                hasObjects(store, handles.size() + kept),
                "every object is an entry, or kept for one",
                counts
                        + ", kept="
                        + kept
                        + ", objects="
                        + store.entries.heap.stats().liveObjects());
    }

    /** Returns how many there are. */
    private static long verifyRecycled(Store store, Set<Long> ofIndex) {
        List<Long> kept = new ArrayList<>();
        store.recycled.forEach(kept::add);
        for (long handle : kept) {
            String where = "handle=" + handle;
            check(!ofIndex.contains(handle), "what is kept is in no index", where);
            check(store.entries.heap.isLive(handle), "what is kept is live", where);
        }
        check(new HashSet<>(kept).size() == kept.size(), "what is kept is kept once", "" + kept);
        return kept.size();
    }

    /** Waits for compaction: an object that is moved meanwhile may be counted twice. */
    private static boolean hasObjects(Store store, long count) {
        long end = System.nanoTime() + WAIT_NANOS;
        while (store.entries.heap.stats().liveObjects() != count) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static void check(boolean holds, String rule, String facts) {
        if (!holds) {
            throw new AssertionError(rule + ": " + facts);
        }
    }
}
