package io.polder.lab.contenders;

import io.polder.lab.experiments.cache.CacheMaker;
import io.polder.lab.experiments.cache.CacheUnderTest;

import org.infinispan.AdvancedCache;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.StorageType;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.eviction.EvictionStrategy;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Infinispan with OFF_HEAP storage, local: memory by malloc for each entry. */
public final class InfinispanMaker implements CacheMaker {
    @Override
    public String id() {
        return "infinispan";
    }

    @Override
    public CacheUnderTest open(Room room) {
        GlobalConfigurationBuilder global = new GlobalConfigurationBuilder().nonClusteredDefault();
        EmbeddedCacheManager manager = new DefaultCacheManager(global.build());
        Configuration configuration =
                new ConfigurationBuilder()
                        .memory()
                        .storage(StorageType.OFF_HEAP)
                        .maxSize(Long.toString(room.bytes()))
                        .whenFull(EvictionStrategy.REMOVE)
                        .build();
        manager.defineConfiguration("lab", configuration);
        Cache<Long, byte[]> cache = manager.getCache("lab");
        AdvancedCache<Long, byte[]> silent =
                cache.getAdvancedCache().withFlags(Flag.IGNORE_RETURN_VALUES);
        return new Opened(manager, cache, silent);
    }

    private record Opened(
            EmbeddedCacheManager manager,
            Cache<Long, byte[]> cache,
            AdvancedCache<Long, byte[]> silent)
            implements CacheUnderTest {
        @Override
        public byte @Nullable [] get(long key) {
            return cache.get(key);
        }

        @Override
        public void put(long key, byte[] value) {
            byte[] _ = silent.put(key, value);
        }

        @Override
        public boolean contains(long key) {
            return cache.containsKey(key);
        }

        @Override
        public void remove(long key) {
            byte[] _ = silent.remove(key);
        }

        @Override
        public void close() {
            try {
                manager.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
