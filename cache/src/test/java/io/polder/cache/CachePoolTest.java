package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A cache in a pool with a limit. */
class CachePoolTest {
    private static final long LIMIT = 64 << 20;

    private static OffHeapCache<Long, byte[]> cache(MemoryPool pool) {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.bytes())
                .pool(pool)
                .build();
    }

    private static void fill(OffHeapCache<Long, byte[]> cache) {
        for (long key = 0; key < 150_000; key++) {
            cache.put(key, new byte[600]);
        }
    }

    @Test
    void put_intoFullPool_evictsAndNeverFails() {
        try (MemoryPool pool =
                        MemoryPool.builder().name("cache-full").committedMaxBytes(LIMIT).build();
                OffHeapCache<Long, byte[]> cache = cache(pool)) {
            fill(cache);
            CacheStats stats = cache.stats();
            assertThat(stats.evictions()).isPositive();
            assertThat(stats.entries()).isGreaterThan(30_000);
            assertThat(pool.stats().committedBytes()).isLessThanOrEqualTo(LIMIT);
            assertThat(cache.getIfPresent(149_999L)).hasSize(600);
            CacheCheck.verify(cache.store());
        }
    }

    private static OffHeapCacheBuilder<Long, byte[]> bytes(MemoryPool pool) {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.bytes())
                .pool(pool);
    }

    /** Half of the entries have expired, and count: so fewer leave that have not. */
    @Test
    void othersOfThePool_getTheRoomOfExpiredEntries() {
        AtomicLong clock = new AtomicLong();
        try (MemoryPool pool =
                        MemoryPool.builder()
                                .name("cache-expired")
                                .committedMaxBytes(LIMIT)
                                .build();
                OffHeapCache<Long, byte[]> cache =
                        bytes(pool)
                                .expireAfterWrite(Duration.ofDays(1))
                                .ticker(clock::get)
                                .build()) {
            for (long key = 0; key < 150_000; key++) {
                cache.put(key, new byte[600], Duration.ofMinutes(key % 2 == 0 ? 1 : 1000));
            }
            clock.addAndGet(Duration.ofMinutes(2).toNanos());
            long evicted = cache.stats().evictedBytes();
            Page page = pool.pages().allocate(LIMIT / 4);
            assertThat(cache.stats().evictedBytes() - evicted).isLessThan(LIMIT / 4);
            assertThat(cache.size()).isPositive();
            CacheCheck.verify(cache.store());
            page.close();
        }
    }

    @Test
    void othersOfThePool_getRoomByEviction() {
        try (MemoryPool pool =
                        MemoryPool.builder().name("cache-others").committedMaxBytes(LIMIT).build();
                OffHeapCache<Long, byte[]> cache = cache(pool)) {
            fill(cache);
            long before = cache.size();
            List<Page> pages = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                pages.add(pool.pages().allocate(4 << 20));
            }
            try (Arena arena = pool.openConfined()) {
                for (int i = 0; i < 50; i++) {
                    arena.allocate(100_000).fill((byte) 1);
                }
                long block = pool.blocks().allocateAddress(500_000);
                pool.blocks().freeAddress(block);
            }
            assertThat(cache.size()).isLessThan(before).isPositive();
            CacheCheck.verify(cache.store());
            pages.forEach(Page::close);
            cache.put(1L, new byte[10]);
            assertThat(cache.getIfPresent(1L)).hasSize(10);
        }
    }

    @Test
    void report_ofThePool_hasALineOfTheCache() {
        try (MemoryPool pool = MemoryPool.builder().name("cache-report").build()) {
            try (OffHeapCache<Long, byte[]> cache =
                    OffHeapCache.<Long, byte[]>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.bytes())
                            .maximumBytes(32 << 20)
                            .name("users")
                            .recordStats()
                            .pool(pool)
                            .build()) {
                assertThat(cache.name()).isEqualTo("users");
                cache.put(1L, new byte[1000]);
                assertThat(cache.getIfPresent(1L)).isNotNull();
                assertThat(cache.getIfPresent(2L)).isNull();
                assertThat(pool.report())
                        .containsPattern(
                                "cache 'users' on heap 1: 1 entries of 0\\.00 MB, index .*,"
                                        + " held .* MB, limit=32\\.00 MB, 50% hits\\R");
                cache.evictingLarge().put(1L, new byte[5 << 20]);
                assertThat(pool.report()).contains(", 50% hits, refused puts=1\n");
            }
            try (OffHeapCache<Long, byte[]> cache = cache(pool)) {
                assertThat(cache.name()).isEmpty();
                assertThat(pool.report()).contains("\n  cache on heap ");
            }
            assertThat(pool.report()).doesNotContain("cache on heap");
        }
    }

    @Test
    void put_whereOthersHaveAllMemory_isAsIfEvicted() {
        try (MemoryPool pool =
                        MemoryPool.builder().name("cache-none").committedMaxBytes(LIMIT).build();
                OffHeapCache<Long, byte[]> cache = cache(pool)) {
            cache.put(1L, new byte[10]);
            List<Page> pages = new ArrayList<>();
            try {
                while (true) {
                    pages.add(pool.pages().allocate(2 << 20));
                }
            } catch (OutOfMemoryError full) {
                assertThat(pages).hasSizeGreaterThan(10);
            }
            for (long key = 0; key < 20; key++) {
                cache.put(key, new byte[1 << 20]);
                byte[] kept = cache.getIfPresent(key);
                assertThat(kept == null || kept.length == 1 << 20).isTrue();
            }
            assertThat(cache.stats().refusedPuts() + cache.stats().evictions()).isPositive();
            CacheCheck.verify(cache.store());
            pages.forEach(Page::close);
            cache.put(7L, new byte[1 << 20]);
            assertThat(cache.getIfPresent(7L)).hasSize(1 << 20);
        }
    }

    /** Says that an empty array has so many bytes. */
    private record Large(long bytes) implements Codec<byte[]> {
        @Override
        public long size(byte[] value) {
            return value.length == 0 ? bytes : value.length;
        }

        @Override
        public void write(byte[] value, MemorySegment to) {
            MemorySegment.copy(value, 0, to, ValueLayout.JAVA_BYTE, 0, value.length);
        }

        @Override
        public byte[] read(MemorySegment from) {
            return new byte[1];
        }
    }

    private static OffHeapCache<Long, byte[]> large(MemoryPool pool, long bytes) {
        return OffHeapCache.<Long, byte[]>builder()
                .keyCodec(Codec.longs())
                .valueCodec(new Large(bytes))
                .pool(pool)
                .build();
    }

    @ParameterizedTest
    @ValueSource(longs = {LIMIT / 8, 100 << 20, Integer.MAX_VALUE - 2048})
    void entry_thatIsLargeForThePool_evictsNothing(long bytes) {
        try (MemoryPool pool =
                        MemoryPool.builder().name("cache-large").committedMaxBytes(LIMIT).build();
                OffHeapCache<Long, byte[]> cache = large(pool, bytes)) {
            for (long key = 0; key < 10_000; key++) {
                cache.put(key, new byte[1000]);
            }
            cache.put(1L, new byte[0]);
            assertThat(cache.get(-1L, _ -> new byte[0])).isNotNull();
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            assertThat(cache.stats().evictions()).isZero();
            assertThat(cache.getIfPresent(1L)).as("the old value").isNull();
            assertThat(cache.size()).isEqualTo(9_999);
            CacheCheck.verify(cache.store());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 1L << 40, 1L << 58, Long.MAX_VALUE - 4})
    void entry_thatNoArrayHolds_isRefused(long bytes) {
        try (MemoryPool pool = MemoryPool.builder().name("cache-huge").build();
                OffHeapCache<Long, byte[]> cache = large(pool, bytes)) {
            cache.put(1L, new byte[10]);
            assertThatThrownBy(() -> cache.put(1L, new byte[0]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("valueBytes=" + bytes);
            assertThat(cache.get(2L, _ -> new byte[0])).isNotNull();
            assertThat(cache.getAll(List.of(3L), _ -> Map.of(3L, new byte[0]))).hasSize(1);
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            assertThat(cache.size()).isEqualTo(1);
        }
    }

    @Test
    void readFrom_withoutMemory_isAsIfEvicted(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cache");
        List<String> told = new ArrayList<>();
        try (MemoryPool pool =
                        MemoryPool.builder().name("cache-file").committedMaxBytes(LIMIT).build();
                OffHeapCache<Long, byte[]> roomy =
                        OffHeapCache.<Long, byte[]>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.bytes())
                                .build();
                OffHeapCache<Long, byte[]> cache =
                        bytes(pool)
                                .executor(Runnable::run)
                                .removalListener(
                                        (key, value, cause) ->
                                                told.add(key + " " + value.length + " " + cause))
                                .build()) {
            roomy.put(1L, new byte[9 << 20]);
            long _ = roomy.writeTo(file);
            cache.put(1L, new byte[10]);
            assertThat(cache.readFrom(file)).isZero();
            assertThat(cache.getIfPresent(1L)).isNull();
            assertThat(cache.stats().refusedPuts()).isEqualTo(1);
            assertThat(told).containsExactly("1 10 REPLACED", "1 9437184 SIZE");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000})
    void stats_afterClose_holdWhatThePoolSays(int entries) {
        try (MemoryPool pool = MemoryPool.builder().name("cache-closed").build()) {
            OffHeapCache<Long, byte[]> cache = cache(pool);
            for (long key = 0; key < entries; key++) {
                cache.put(key, new byte[10]);
            }
            assertThat(cache.stats().heldBytes()).isBetween(1L, pool.stats().committedBytes());
            cache.close();
            cache.close();
            long _ = pool.trim();
            assertThat(pool.stats().committedBytes()).isZero();
            CacheStats stats = cache.stats();
            assertThat(stats.heldBytes()).isZero();
            assertThat(stats.indexBytes()).isZero();
            assertThat(stats.entries()).isEqualTo(entries);
        }
    }
}
