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
    void exchange_ofWhatWasOverwritten_isNotDone() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache);
            long handle = scratch.handle;
            cache.put(KEY, "two");
            Store store = cache.store();
            assertThat(store.exchange(scratch, handle, Store.NONE, null)).isEqualTo(Store.CHANGED);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            assertThat(remove(cache, scratch)).isEqualTo(handle);
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    /** A version is that of a line, so another key may have changed it. */
    @Test
    void exchange_whereAnotherKeyOfTheLineWasOverwritten_isDone() {
        try (OffHeapCache<Long, String> cache = longs().hash((_, _) -> 5).build()) {
            cache.put(KEY, "one");
            cache.put(KEY + 1, "other");
            Scratch scratch = found(cache);
            cache.put(KEY + 1, "later");
            cache.put(KEY, "two");
            cache.put(KEY, "one");
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
    void exchange_whereTheDeadlineWasChangedAndValuesAreOverwritten_isDone() {
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
