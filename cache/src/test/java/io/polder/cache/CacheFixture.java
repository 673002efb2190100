package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;

import org.junit.jupiter.api.AfterEach;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

    /** The entry of a key, and where it is. */
    static Scratch found(OffHeapCache<Long, ?> cache, long key) {
        Store store = cache.store();
        Scratch scratch = store.scratches.take();
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, key);
        scratch.setKey(bytes);
        store.entries.setHash(scratch);
        assertThat(store.find(scratch)).isTrue();
        return scratch;
    }

    @AfterEach
    void allMemoryIsBack() {
        long used = pool.stats().pages().takenBytes();
        pool.close();
        assertThat(used).as("pages that are taken").isZero();
    }
}
