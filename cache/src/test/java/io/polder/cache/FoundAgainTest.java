package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** What a change does that was told of an entry which others have changed meanwhile. */
class FoundAgainTest extends CacheFixture {
    private static final long KEY = 7;

    private static Scratch found(OffHeapCache<Long, String> cache) {
        return found(cache, KEY);
    }

    /** Removes what is there, whatever it is. */
    private static long remove(OffHeapCache<Long, String> cache, Scratch scratch) {
        Store store = cache.store();
        long was = store.exchange(scratch, Store.ANY, Store.NONE, null);
        if (was != Store.NONE) {
            store.retire(was, RemovalCause.EXPLICIT);
        }
        store.scratches.give(scratch);
        CacheCheck.verify(store);
        return was;
    }

    @Test
    void exchange_ofWhatIsThereStill_isDone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            assertThat(remove(cache, scratch)).isEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    @Test
    void exchange_ofWhatWasReplaced_seesTheOther() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            cache.put(KEY, "another");
            Store store = cache.store();
            assertThat(store.exchange(scratch, handle, Store.NONE, null)).isNotEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("another");
            assertThat(remove(cache, scratch)).isNotEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    @Test
    void exchange_ofAnEntryThatHasAnotherValueNow_isNotDone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            cache.put(KEY, "two");
            cache.put(KEY, "six");
            Store store = cache.store();
            assertThat(store.exchange(scratch, handle, Store.NONE, null)).isEqualTo(Store.CHANGED);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("six");
            assertThat(remove(cache, scratch)).isEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    /** A version is that of a line, so another key may have changed it. */
    @Test
    void exchange_whereAnotherKeyOfTheLineWasPut_isDone() {
        try (OffHeapCache<Long, String> cache = longs().hash((_, _) -> 5).build()) {
            cache.put(KEY, "one");
            cache.put(KEY + 1, "other");
            Scratch scratch = found(cache);
            cache.put(KEY + 1, "later");
            removeAsFound(cache, scratch);
            assertThat(cache.getIfPresent(KEY + 1)).isEqualTo("later");
        }
    }

    /** Removes the entry that was found, which has the value still that was found. */
    private static void removeAsFound(OffHeapCache<Long, String> cache, Scratch scratch) {
        Store store = cache.store();
        long handle = scratch.handle;
        assertThat(store.exchange(scratch, handle, Store.NONE, null)).isEqualTo(handle);
        store.retire(handle, RemovalCause.EXPLICIT);
        store.scratches.give(scratch);
        assertThat(cache.getIfPresent(KEY)).isNull();
        CacheCheck.verify(store);
    }

    /** It is the value that was found, so nobody can tell that it was gone. */
    @Test
    void exchange_ofAnEntryThatHasTheSameValueAgain_isDone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            cache.put(KEY, "two");
            cache.put(KEY, "one");
            removeAsFound(cache, scratch);
        }
    }

    /** In the same lane, even: its monitor is another one, perhaps. */
    @Test
    void exchange_whereAnotherKeyHasTheEntryNow_leavesThatAlone() {
        try (OffHeapCache<Long, String> cache = longs().hash((_, _) -> 5).build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            cache.put(KEY, "two");
            cache.invalidate(KEY);
            cache.put(KEY + 1, "new");
            cache.put(KEY + 1, "six");
            assertThat(found(cache, KEY + 1).handle).isEqualTo(handle);
            assertThat(remove(cache, scratch)).isEqualTo(Store.NONE);
            assertThat(cache.getIfPresent(KEY + 1)).isEqualTo("six");
        }
    }

    private static void growIndex(OffHeapCache<Long, String> cache) {
        long buckets = cache.store().index.buckets();
        for (long key = 100; key < 100 + 30 * buckets; key++) {
            cache.put(key, "other");
        }
        assertThat(cache.store().index.buckets()).isGreaterThan(2 * buckets);
    }

    /** A deadline is no part of a value. */
    @Test
    void exchange_whereReadsHaveChangedTheDeadline_isDone() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterAccess(Duration.ofMinutes(1)).build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            clock.addAndGet(1000);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            cache.store().index.moved(); // some other entry
            removeAsFound(cache, scratch);
        }
    }

    @Test
    void exchange_whereTheDeadlineWasChangedAndAnotherKeyWasPut_isDone() {
        try (OffHeapCache<Long, String> cache =
                longs().hash((_, _) -> 5).expireAfterWrite(Duration.ofMinutes(1)).build()) {
            cache.put(KEY, "one");
            cache.put(KEY + 1, "other");
            Scratch scratch = found(cache);
            cache.put(KEY + 1, "later");
            boolean _ = cache.policy().setExpiresIn(KEY, Duration.ofMinutes(5));
            removeAsFound(cache, scratch);
        }
    }

    @Test
    void exchange_ofWhatWasRemoved_findsNone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            cache.invalidate(KEY);
            assertThat(remove(cache, scratch)).isEqualTo(Store.NONE);
        }
    }

    @Test
    void exchange_whereAnotherKeyHasTheLaneNow_leavesThatAlone() {
        try (OffHeapCache<Long, String> cache = longs().hash((_, _) -> 5).build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            cache.invalidate(KEY);
            cache.put(KEY + 1, "other");
            assertThat(remove(cache, scratch)).isEqualTo(Store.NONE);
            assertThat(cache.getIfPresent(KEY + 1)).isEqualTo("other");
        }
    }

    /** An error may come between the two steps in which an entry leaves a line. */
    @Test
    void exchange_whereTheEntryHasLeftAndTheVersionStayed_findsNone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            Store store = cache.store();
            long handle = scratch.handle;
            store.counts.removed(store.entries.footprintOf(handle), BucketLayout.YOUNG);
            int _ = store.index.setLaneLocked(scratch.line, scratch.lane, 0, BucketLayout.YOUNG);
            store.entries.heap.free(handle);
            assertThat(remove(cache, scratch)).isEqualTo(Store.NONE);
        }
    }

    @Test
    void exchange_whereBucketsWereSplitMeanwhile_findsTheEntry() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            growIndex(cache);
            assertThat(remove(cache, scratch)).isEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }
}
