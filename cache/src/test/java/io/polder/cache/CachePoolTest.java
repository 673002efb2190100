package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

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
                            .recordStats()
                            .pool(pool)
                            .build()) {
                cache.put(1L, new byte[1000]);
                assertThat(cache.getIfPresent(1L)).isNotNull();
                assertThat(cache.getIfPresent(2L)).isNull();
                assertThat(pool.report())
                        .containsPattern(
                                "cache on heap 1: 1 entries of 0\\.00 MB, index .*, held .* MB,"
                                        + " limit=32\\.00 MB, 50% hits\\R");
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
}
