package io.polder.lab.contenders;

import io.polder.lab.experiments.cache.CacheMaker;
import io.polder.lab.experiments.cache.CacheUnderTest;

import org.ehcache.Cache;
import org.ehcache.CacheManager;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.MemoryUnit;
import org.jspecify.annotations.Nullable;

/** Ehcache's off-heap tier, without a tier on the heap before it. */
public final class EhcacheMaker implements CacheMaker {
    @Override
    public String id() {
        return "ehcache";
    }

    @Override
    public CacheUnderTest open(Room room) {
        CacheManager manager =
                CacheManagerBuilder.newCacheManagerBuilder()
                        .withCache(
                                "lab",
                                CacheConfigurationBuilder.newCacheConfigurationBuilder(
                                        Long.class,
                                        byte[].class,
                                        ResourcePoolsBuilder.newResourcePoolsBuilder()
                                                .offheap(room.bytes(), MemoryUnit.B)))
                        .build(true);
        return new Opened(manager, manager.getCache("lab", Long.class, byte[].class));
    }

    private record Opened(CacheManager manager, Cache<Long, byte[]> cache)
            implements CacheUnderTest {
        @Override
        public byte @Nullable [] get(long key) {
            return cache.get(key);
        }

        @Override
        public void put(long key, byte[] value) {
            cache.put(key, value);
        }

        @Override
        public boolean contains(long key) {
            return cache.containsKey(key);
        }

        @Override
        public void remove(long key) {
            cache.remove(key);
        }

        @Override
        public void close() {
            manager.close();
        }
    }
}
