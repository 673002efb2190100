package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.polder.MemoryPool;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;
import io.polder.cache.OffHeapCacheBuilder;

import org.junit.jupiter.api.AfterEach;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Caches of Caffeine and ours, of which the same is asked; all memory is back after each test. */
abstract class ContenderFixture {
    private static final AtomicInteger POOLS = new AtomicInteger();

    enum Contender {
        CAFFEINE,
        POLDER
    }

    final MemoryPool pool =
            MemoryPool.builder().name("caffeine-test-" + POOLS.incrementAndGet()).build();
    final AtomicLong clock = new AtomicLong(123);
    private final List<OffHeapCache<?, ?>> open = new ArrayList<>();

    /** One that is closed after the test. */
    <K, V> OffHeapCache<K, V> closing(OffHeapCache<K, V> cache) {
        open.add(cache);
        return cache;
    }

    OffHeapCacheBuilder<Long, String> longs() {
        return OffHeapCache.<Long, String>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.strings())
                .pool(pool)
                .ticker(clock::get)
                .executor(Runnable::run)
                .recordStats();
    }

    Cache<Long, String> open(Contender contender) {
        return contender == Contender.CAFFEINE
                ? Caffeine.newBuilder().recordStats().ticker(clock::get).build()
                : OffHeapCaffeine.asCaffeine(closing(longs().build()));
    }

    LoadingCache<Long, String> open(Contender contender, CacheLoader<Long, String> loader) {
        return contender == Contender.CAFFEINE
                ? Caffeine.newBuilder().recordStats().ticker(clock::get).build(loader)
                : OffHeapCaffeine.asCaffeine(closing(longs().build()), loader);
    }

    @AfterEach
    void allMemoryIsBack() {
        open.forEach(OffHeapCache::close);
        long used = pool.stats().pages().takenBytes();
        pool.close();
        assertThat(used).as("pages that are taken").isZero();
    }
}
