package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** All entries that should leave do, whatever listeners do meanwhile; and no others. */
class CacheRemovalTest extends CacheFixture {
    private static final int ENTRIES = 30_000;

    private final AtomicReference<OffHeapCache<Long, String>> used = new AtomicReference<>();
    private final AtomicInteger told = new AtomicInteger();
    private boolean isTold;

    private OffHeapCacheBuilder<Long, String> withListenerThatChanges() {
        return longs().removalListener(
                        (_, _, _) -> {
                            told.getAndIncrement();
                            if (!isTold) { // what this removes is told, too
                                isTold = true;
                                used.get().invalidate(-1L); // has the index shrink
                                isTold = false;
                            }
                        });
    }

    private static void fill(OffHeapCache<Long, String> cache) {
        for (long key = 0; key < ENTRIES; key++) {
            cache.put(key, "a");
        }
    }

    @Test
    void invalidateAll_whileTheIndexShrinks_leavesNothing() {
        try (OffHeapCache<Long, String> cache = withListenerThatChanges().build()) {
            used.set(cache);
            fill(cache);
            cache.invalidateAll();
            assertThat(cache.size()).isZero();
            assertThat(told).hasValue(ENTRIES);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void invalidate_halfOfTheEntries_leavesBucketsOfSixEntriesAtLeast() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            fill(cache);
            for (long key = 0; key < ENTRIES; key += 2) {
                cache.invalidate(key);
            }
            assertThat(6 * cache.store().index.buckets()).isLessThanOrEqualTo(cache.size());
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void invalidateAll_whileTheIndexGrows_leavesNothingThatWasThere() {
        OffHeapCacheBuilder<Long, String> builder =
                longs().removalListener(
                                (key, _, _) -> {
                                    for (long i = 0; key < ENTRIES && i < 3; i++) {
                                        used.get().put(ENTRIES + 3 * key + i, "b");
                                    }
                                });
        try (OffHeapCache<Long, String> cache = builder.build()) {
            used.set(cache);
            fill(cache);
            cache.invalidateAll();
            assertThat(cache.asMap().keySet()).allMatch(key -> key >= ENTRIES);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void cleanUp_whileTheIndexShrinks_leavesNothingThatHasExpired() {
        try (OffHeapCache<Long, String> cache =
                withListenerThatChanges().expireAfterWrite(Duration.ofNanos(100)).build()) {
            used.set(cache);
            fill(cache);
            clock.addAndGet(100);
            cache.cleanUp();
            assertThat(cache.size()).isZero();
            assertThat(told).hasValue(ENTRIES);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void listener_ofSomeCauses_isToldOfNoOther() {
        List<String> removed = new ArrayList<>();
        AtomicInteger decoded = new AtomicInteger();
        Codec<String> counting =
                new ForeignStrings() {
                    @Override
                    public String read(MemorySegment from) {
                        decoded.getAndIncrement();
                        return super.read(from);
                    }
                };
        OffHeapCacheBuilder<Long, String> builder =
                longs().valueCodec(counting)
                        .expireAfterWrite(Duration.ofNanos(100))
                        .removalListener(
                                (key, value, cause) -> removed.add(key + value + cause),
                                EnumSet.of(RemovalCause.EXPIRED));
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(1L, "a");
            cache.put(1L, "b");
            cache.invalidate(1L);
            cache.put(2L, "c");
            assertThat(removed).isEmpty();
            assertThat(decoded).hasValue(0);
            clock.addAndGet(100);
            cache.cleanUp();
            assertThat(removed).containsExactly("2cEXPIRED");
            assertThat(decoded).hasValue(1);
        }
    }

    @Test
    void listener_thatThrowsErrors_harmsNobody() {
        OffHeapCacheBuilder<Long, String> builder =
                longs().removalListener(
                                (_, _, _) -> {
                                    told.getAndIncrement();
                                    throw new AssertionError("thrown by the test");
                                });
        try (OffHeapCache<Long, String> cache = builder.build()) {
            for (long key = 0; key < 5; key++) {
                cache.put(key, "a");
            }
            cache.put(1L, "b");
            cache.invalidateAll();
            assertThat(told).hasValue(6);
            assertThat(cache.size()).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void clear_thatFails_freesWhatItHasTaken() {
        try (RelocatingHeap heap = pool.openHeap(HeapOptions.DEFAULT)) {
            Lines lines = new Lines(pool);
            Store store =
                    new Store(
                            heap,
                            lines,
                            new Entries(
                                    heap, new EntryLayout(false, Long.BYTES), (_, _) -> 5, false),
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            () -> 0,
                            (_, _) -> {
                                throw new StackOverflowError("by the test");
                            });
            EntryCodec<Long, Long> codec = new EntryCodec<>(store, Codec.longs(), Codec.longs());
            Scratch scratch = Scratch.of(Scratch.NO_OWNER);
            for (long key = 0; key < 20; key++) {
                codec.setKey(key, scratch);
                long handle = codec.create(scratch, key, Long.BYTES, EntryLayout.NEVER);
                assertThat(store.exchange(scratch, Store.NONE, handle, null)).isZero();
            }
            assertThatThrownBy(() -> store.clear(RemovalCause.EXPLICIT))
                    .isInstanceOf(StackOverflowError.class);
            CacheCheck.verify(store);
            assertThat(heap.stats().liveObjects()).isZero();
            lines.close();
        }
    }

    @Test
    void setMaximumBytes_belowTheSizeOfTheIndex_keepsWhatFits() {
        long most = 16 << 20;
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(4 * most).build()) {
            for (long key = 0; key < 1_000_000; key++) {
                cache.put(key, "a");
            }
            assertThat(cache.stats().indexBytes()).isGreaterThan(most);
            cache.policy().setMaximumBytes(most);
            CacheStats stats = cache.stats();
            assertThat(stats.entryBytes() + stats.indexBytes()).isBetween(most / 2, most);
            assertThat(stats.entries()).isGreaterThan(50_000);
            CacheCheck.verify(cache.store());
        }
    }

    /** What it holds is mostly dead, and not compacted away yet. */
    @Test
    void setMaximumBytes_afterMostWasRemoved_compacts() {
        long most = 16 << 20;
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(16 * most).build()) {
            String value = "x".repeat(100);
            for (long key = 0; key < 600_000; key++) {
                cache.put(key, value);
            }
            Boolean _ = cache.read(0L, _ -> removeMost(cache)); // holds compaction up
            cache.policy().setMaximumBytes(most);
            assertThat(cache.stats().heldBytes()).isLessThan(most + most / 4);
            cache.put(1L, "a");
            assertThat(cache.getIfPresent(1L)).isEqualTo("a");
            assertThat(cache.stats().refusedPuts()).isZero();
        }
    }

    private static boolean removeMost(OffHeapCache<Long, String> cache) {
        for (long key = 0; key < 600_000; key++) {
            if (key % 16 != 0) {
                cache.invalidate(key);
            }
        }
        return true;
    }

    @Test
    void invalidateAll_tellsWhatHadExpired() {
        List<String> causes = new ArrayList<>();
        OffHeapCacheBuilder<Long, String> builder =
                longs().expireAfterWrite(Duration.ofNanos(100))
                        .removalListener((key, _, cause) -> causes.add(key + " " + cause));
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(1L, "a");
            clock.addAndGet(60);
            cache.put(2L, "a");
            clock.addAndGet(60);
            cache.asMap().clear();
            assertThat(causes).containsExactlyInAnyOrder("1 EXPIRED", "2 EXPLICIT");
        }
    }

    /** Hits make the share of entries on probation as small as it gets, and then none is there. */
    @Test
    void shrink_whereAllEntriesAreWanted_evictsThem() {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(100).build()) {
            for (long key = 5000; key < 9000; key++) {
                cache.put(key, "a");
                for (int i = 0; i < 3; i++) {
                    assertThat(cache.getIfPresent(key)).isEqualTo("a");
                }
            }
            cache.policy().setMaximumEntries(5000);
            for (long key = 0; key < 5000; key++) {
                cache.put(key, "a");
            }
            for (int i = 0; i < 4; i++) {
                for (long key = 0; key < 5000; key++) {
                    String _ = cache.getIfPresent(key);
                }
            }
            cache.policy().setMaximumEntries(3);
            assertThat(cache.size()).isEqualTo(3);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void put_ofAKeyThatIsThere_evictsNothing() {
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(1).build()) {
            cache.put(1L, "a");
            assertThat(cache.asMap().replace(1L, "b")).isEqualTo("a");
            assertThat(cache.asMap().replace(1L, "b", "c")).isTrue();
            assertThat(cache.asMap().put(1L, "d")).isEqualTo("c");
            assertThat(cache.getIfPresent(1L)).isEqualTo("d");
            assertThat(cache.stats().evictions()).isZero();
        }
        try (OffHeapCache<Long, String> cache = longs().maximumEntries(100).build()) {
            for (int round = 0; round < 20; round++) {
                for (long key = 0; key < 100; key++) {
                    cache.put(key, "round " + round);
                }
            }
            assertThat(cache.size()).isEqualTo(100);
            assertThat(cache.stats().evictions()).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void listener_thatMakesOthersExpire_isNotCalledWithinItself() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger deepest = new AtomicInteger();
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(10))
                        .removalListener(
                                (key, _, _) -> {
                                    told.getAndIncrement();
                                    int depth = inside.incrementAndGet();
                                    deepest.accumulateAndGet(depth, Math::max);
                                    String _ = used.get().getIfPresent(key + 1);
                                    inside.decrementAndGet();
                                })
                        .build()) {
            used.set(cache);
            for (long key = 0; key < 1000; key++) {
                cache.put(key, "a");
            }
            clock.addAndGet(20);
            assertThat(cache.getIfPresent(0L)).isNull();
            assertThat(told).hasValue(1000);
            assertThat(deepest).hasValue(1);
        }
    }

    @Test
    void entrySetContains_isNoAccess() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterAccess(Duration.ofNanos(10)).build()) {
            cache.put(1L, "a");
            clock.addAndGet(6);
            assertThat(cache.asMap().entrySet().contains(Map.entry(1L, "a"))).isTrue();
            assertThat(cache.asMap().entrySet().contains(Map.entry(1L, "b"))).isFalse();
            clock.addAndGet(6);
            assertThat(cache.getIfPresent(1L)).isNull();
        }
    }

    /** No codec is to blame where the cache was closed between that and its removal. */
    @Test
    void entryThatLeaves_ofACacheThatWasClosedMeanwhile_isNotOneThatCannotBeRead() {
        List<Long> told = new ArrayList<>();
        OffHeapCache<Long, String> cache =
                longs().removalListener((key, _, _) -> told.add(key)).build();
        cache.put(1L, "one");
        long handle = found(cache, 1).handle;
        cache.close();
        Removed<?, ?> removed = (Removed<?, ?>) cache.store().removals;
        removed.removed(handle, RemovalCause.EXPLICIT);
        assertThat(told).isEmpty();
        assertThat(removed.unread).hasValue(0);
    }
}
