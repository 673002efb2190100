package io.polder.lab.experiments.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import org.jspecify.annotations.Nullable;

/** Caffeine with arrays of bytes, which weigh as much as they have bytes, and a key's eight. */
final class CaffeineMaker implements CacheMaker {
    @Override
    public String id() {
        return Contender.CAFFEINE.id();
    }

    @Override
    public CacheUnderTest open(Room room) {
        return new Opened(
                Caffeine.newBuilder()
                        .maximumWeight(room.bytes())
                        .weigher((Long _, byte[] value) -> Long.BYTES + value.length)
                        .build());
    }

    private record Opened(Cache<Long, byte[]> cache) implements CacheUnderTest {
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
            return cache.asMap().containsKey(key);
        }

        @Override
        public void remove(long key) {
            cache.invalidate(key);
        }

        @Override
        public void close() {
            cache.invalidateAll();
        }
    }
}
