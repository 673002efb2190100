package io.polder.cache;

import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A pool and a clock for each test; all memory is back at its end. */
abstract class CacheFixture {
    private static final AtomicInteger POOLS = new AtomicInteger();

    final MemoryPool pool =
            MemoryPool.builder().name("cache-test-" + POOLS.incrementAndGet()).build();

    final AtomicLong clock = new AtomicLong(123);

    OffHeapCacheBuilder<Long, String> longs() {
        return OffHeapCache.<Long, String>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.strings())
                .pool(pool)
                .ticker(clock::get)
                .executor(Runnable::run)
                .recordStats();
    }

    @AfterEach
    void allMemoryIsBack() {
        long used = pool.pages().stats().takenBytes();
        pool.close();
        org.assertj.core.api.Assertions.assertThat(used).as("pages that are taken").isZero();
    }
}
