package io.polder.lab.experiments.cache;

import io.polder.MemoryPool;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ConcurrentMap;

/** Polder's cache, with a pool of its own. */
final class PolderMaker implements CacheMaker {
    @Override
    public String id() {
        return Contender.POLDER.id();
    }

    @Override
    public CacheUnderTest open(Room room) {
        MemoryPool pool = MemoryPool.builder().name("lab-cache").build();
        OffHeapCache<Long, byte[]> cache =
                OffHeapCache.<Long, byte[]>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.bytes())
                        .maximumBytes(room.bytes())
                        .pool(pool)
                        .build();
        return new Opened(pool, cache, cache.asMap());
    }

    private record Opened(
            MemoryPool pool, OffHeapCache<Long, byte[]> cache, ConcurrentMap<Long, byte[]> map)
            implements CacheUnderTest {
        @Override
        public byte @Nullable [] get(long key) {
            return cache.getIfPresent(key);
        }

        @Override
        public void put(long key, byte[] value) {
            cache.put(key, value);
        }

        @Override
        public boolean contains(long key) {
            return map.containsKey(key);
        }

        @Override
        public void remove(long key) {
            cache.invalidate(key);
        }

        @Override
        public void close() {
            cache.close();
            pool.close();
        }
    }
}
