package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Of few buckets, a hand visits those that have entries on probation. */
@Timeout(300)
class ProbationHandTest extends CacheFixture {
    private static final long ONE_BUCKET = 5;
    private static final int ROUNDS = 2_000;
    private static final int LOOKS = 100;
    private static final int DEPTHS = 300;
    private static final int FRAMES = 100;
    private static final long STACK_BYTES = 300_000;

    private final AtomicInteger visits = new AtomicInteger();
    private volatile boolean isDone;
    private boolean isForgotten;

    @Test
    void visit_withFewEntriesOnProbation_passesBucketsWithoutThem() {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(1000).build()) {
            for (long key = 0; key < 5; key++) {
                cache.put(key, "a");
            }
            Set<Long> judged = new HashSet<>();
            Store store = cache.store();
            ProbationHand hand =
                    new ProbationHand(store, scratch -> judged.add(scratch.candidate.handle));
            Scratch scratch = store.scratches.take();
            for (int i = 0; i < 2 * 5; i++) { // the first visit makes an entry old
                hand.visit(scratch);
            }
            store.scratches.give(scratch);
            assertThat(judged).hasSize(5);
        }
    }

    /** Also those beside an entry that leaves as it is judged. */
    @Test
    void visit_ofAFullBucket_judgesAllThatAreOld() {
        try (OffHeapCache<Long, String> cache = longs().hash((_, _) -> ONE_BUCKET).build()) {
            for (long key = 0; key < BucketLayout.LANES; key++) {
                cache.put(key, "a");
            }
            Store store = cache.store();
            Set<Long> judged = new HashSet<>();
            ProbationHand hand =
                    new ProbationHand(
                            store,
                            scratch -> {
                                judged.add(scratch.candidate.handle);
                                store.eviction.evict(
                                        scratch.candidate.bucket, scratch.candidate.handle);
                            });
            Scratch scratch = store.scratches.take();
            hand.visit(scratch);
            assertThat(judged).isEmpty(); // they become old
            hand.visit(scratch);
            store.scratches.give(scratch);
            assertThat(judged).hasSize(BucketLayout.LANES);
            assertThat(cache.size()).isZero();
            CacheCheck.verify(store);
        }
    }

    /** Wherever the stack ends, a bucket keeps its mark. */
    @Test
    void visit_withHardlyAnyStack_forgetsNoBucket() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(1000).build()) {
            cache.put(0L, "a");
            Store store = cache.store();
            int bucket = (int) bucket(store.index, found(cache, 0));
            ProbationHand hand = new ProbationHand(store, _ -> {});
            Scratch scratch = store.scratches.take();
            Runnable visit =
                    () -> {
                        try {
                            hand.visit(scratch);
                        } finally {
                            if (!store.index.onProbation[bucket]) {
                                isForgotten = true; // in place: it needs no stack
                            }
                        }
                    };
            for (int i = 0; i < DEPTHS; i++) {
                int padding = i;
                Thread deep = new Thread(null, () -> pad(padding, visit), "deep", STACK_BYTES);
                deep.start();
                deep.join();
            }
            store.scratches.give(scratch);
            assertThat(isForgotten).isFalse();
        }
    }

    /** So that the stack ends elsewhere. */
    private static int pad(int frames, Runnable visit) {
        return frames == 0 ? deep(0, visit) : pad(frames - 1, visit);
    }

    /** Goes down to the end of the stack, and visits from there up. */
    @SuppressWarnings("InfiniteRecursion") // which is caught
    private static int deep(int frame, Runnable visit) {
        int last;
        try {
            last = deep(frame + 1, visit);
        } catch (StackOverflowError end) {
            last = frame;
        }
        if (last - frame < FRAMES) {
            visit.run();
        }
        return last;
    }

    /** Another entry stays on probation, so that the hand passes what it must not. */
    @Test
    void entry_thatComesWhileAHandLooks_isNotForgotten() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(10).build()) {
            Index index = cache.store().index;
            cache.put(0L, "a");
            long key = 1;
            cache.put(key, "a");
            while (bucket(index, found(cache, key)) == bucket(index, found(cache, 0))) {
                cache.put(++key, "a");
            }
            Scratch found = found(cache, key);
            Thread other = Thread.ofPlatform().start(() -> moveHand(cache.store()));
            int forgotten = 0;
            for (int i = 0; i < ROUNDS; i++) {
                putAgain(index, found, i & 63);
                forgotten += isMarkedSoon(index, bucket(index, found)) ? 0 : 1;
            }
            isDone = true;
            other.join();
            assertThat(forgotten).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    private static long bucket(Index index, Scratch found) {
        return LinearHashing.bucket(found.hash, index.buckets());
    }

    /** Takes an entry from the index, and adds it after a while. */
    private static void putAgain(Index index, Scratch found, int pause) {
        synchronized (index.monitor(found.hash)) {
            int _ = index.removeLocked(bucket(index, found), found.handle);
            for (int i = 0; i < pause; i++) {
                Thread.onSpinWait();
            }
            assertThat(index.insertLocked(found.hash, found.handle, BucketLayout.YOUNG)).isTrue();
        }
    }

    /** While the hand looks at a bucket it has no mark; one that is forgotten never gets it. */
    @SuppressWarnings("ThreadPriorityCheck") // the other thread may have no processor
    private boolean isMarkedSoon(Index index, long bucket) {
        for (int i = 0; i < LOOKS; i++) {
            int last = visits.get() + 2;
            while (visits.get() < last) {
                Thread.yield();
            }
            if (index.onProbation[(int) bucket]) {
                return true;
            }
        }
        return false;
    }

    private void moveHand(Store store) {
        ProbationHand hand = new ProbationHand(store, _ -> {});
        Scratch scratch = store.scratches.take();
        while (!isDone) {
            hand.visit(scratch);
            int _ = visits.getAndIncrement();
        }
        store.scratches.give(scratch);
    }
}
