package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.cache.Codec;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.ServiceLoader;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;

/** How caches are found and configured. */
class ConfigurationTest extends JCacheFixture {
    private static long maximumBytes(CacheManager manager, String name) {
        return manager.<Integer, Integer>getCache(name)
                .getConfiguration(configurationClass())
                .getMaximumBytes();
    }

    @SuppressWarnings("unchecked")
    private static Class<PolderConfiguration<Integer, Integer>> configurationClass() {
        return (Class<PolderConfiguration<Integer, Integer>>) (Class<?>) PolderConfiguration.class;
    }

    @Test
    void limits_ofCacheManagerAndJvm_countInThisOrder() {
        System.setProperty("polder.jcache.maximumBytes", "33554432");
        try {
            Cache<Integer, Integer> ofJvm = cache(types(Integer.class, Integer.class));
            assertThat(ofJvm.getConfiguration(configurationClass()).getMaximumBytes())
                    .isEqualTo(32 << 20);
            CacheManager ofUri =
                    provider.getCacheManager(
                            URI.create("polder://limited?maximumBytes=50331648"), null);
            ofUri.createCache("a", new MutableConfiguration<Integer, Integer>());
            assertThat(maximumBytes(ofUri, "a")).isEqualTo(48 << 20);
            Properties properties = new Properties();
            properties.setProperty("polder.jcache.maximumBytes", "67108864");
            CacheManager ofProperties =
                    provider.getCacheManager(
                            URI.create("polder://more?maximumBytes=50331648"), null, properties);
            ofProperties.createCache("a", new MutableConfiguration<Integer, Integer>());
            assertThat(maximumBytes(ofProperties, "a")).isEqualTo(64 << 20);
            ofProperties.createCache(
                    "b", types(Integer.class, Integer.class).setMaximumBytes(16 << 20));
            assertThat(maximumBytes(ofProperties, "b")).isEqualTo(16 << 20);
        } finally {
            System.clearProperty("polder.jcache.maximumBytes");
        }
    }

    @Test
    void options_thatAreWrong_areRefused() {
        assertThatThrownBy(() -> manager("?maximumByte=33554432"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("option=maximumByte");
        assertThatThrownBy(() -> manager("?maximumBytes=many"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("polder.jcache.maximumBytes")
                .hasMessageContaining("maximumBytes must be a number: maximumBytes=many");
        assertThatThrownBy(() -> manager("?maximumBytes=5"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("maximumBytes must be 16777216 or more: maximumBytes=5");
        assertThatThrownBy(() -> manager("?maximumBytes"))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("name=value");
        assertThatThrownBy(() -> manager("?serialFilter=maxdepth%3Dx"))
                .isInstanceOf(CacheException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("polder.jcache.serialFilter")
                .hasMessageContaining("serialFilter=maxdepth=x");
        assertThatThrownBy(
                        () ->
                                new PolderConfiguration<String, String>()
                                        .setSerialFilter("maxdepth=x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "serialFilter must be of the form of jdk.serialFilter:"
                                + " serialFilter=maxdepth=x");
        assertThatThrownBy(() -> new PolderConfiguration<String, String>().setMaximumBytes(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maximumBytes=1");
        assertThatThrownBy(() -> new PolderConfiguration<String, String>().setMaximumEntries(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maximumEntries=0");
    }

    @Test
    void storeByReference_isRefused() {
        assertThat(provider.isSupported(OptionalFeature.STORE_BY_REFERENCE)).isFalse();
        MutableConfiguration<Integer, Integer> byReference =
                new MutableConfiguration<Integer, Integer>().setStoreByValue(false);
        assertThatThrownBy(() -> cache(byReference))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("storeByValue must be true");
    }

    @Test
    void pool_codecsAndLimits_areThoseOfTheConfiguration() {
        try (MemoryPool pool = MemoryPool.builder().name("jcache-test").build()) {
            PolderConfiguration<Long, String> configuration =
                    types(Long.class, String.class)
                            .setPool(() -> pool)
                            .setKeyCodec(Codec::longs)
                            .setValueCodec(Codec::strings)
                            .setMaximumEntries(100);
            configuration.setStatisticsEnabled(true);
            Cache<Long, String> cache = cache(configuration);
            for (long i = 0; i < 1000; i++) {
                cache.put(i, "value " + i);
            }
            assertThat(pool.stats().pages().takenBytes()).isPositive();
            assertThat(pool.report()).contains("  cache 'cache' on heap ");
            int count = 0;
            for (Cache.Entry<Long, String> each : cache) {
                assertThat(each.getValue()).isEqualTo("value " + each.getKey());
                count++;
            }
            assertThat(count).isBetween(1, 100);
            assertThat(cache.unwrap(PolderCache.class).statistics().getCacheEvictions())
                    .isEqualTo(1000 - count);
            provider.close();
            assertThat(cache.isClosed()).isTrue();
            assertThat(pool.stats().pages().takenBytes()).isZero();
        }
    }

    @Test
    void configuration_isCopiedAndEqual() {
        PolderConfiguration<Long, String> configuration =
                types(Long.class, String.class).setMaximumBytes(32 << 20);
        Cache<Long, String> cache = cache(configuration);
        configuration.setMaximumBytes(16 << 20);
        @SuppressWarnings("unchecked")
        PolderConfiguration<Long, String> kept =
                (PolderConfiguration<Long, String>)
                        cache.getConfiguration(PolderConfiguration.class);
        assertThat(kept.getMaximumBytes()).isEqualTo(32 << 20);
        assertThat(kept).isNotEqualTo(configuration);
        assertThat(kept).isEqualTo(configuration.setMaximumBytes(32 << 20));
        assertThat(kept).hasSameHashCodeAs(configuration);
    }

    @Test
    void provider_isFoundOnBothPaths() throws IOException {
        assertThat(ServiceLoader.load(CachingProvider.class))
                .hasExactlyElementsOfTypes(PolderCachingProvider.class);
        try (InputStream in =
                Files.newInputStream(Path.of("target", "classes", "module-info.class"))) {
            ModuleDescriptor descriptor = ModuleDescriptor.read(in);
            assertThat(descriptor.name()).isEqualTo("io.polder.cache.jcache");
            assertThat(descriptor.provides())
                    .singleElement()
                    .satisfies(
                            provides -> {
                                assertThat(provides.service())
                                        .isEqualTo(CachingProvider.class.getName());
                                assertThat(provides.providers())
                                        .containsExactly(PolderCachingProvider.class.getName());
                            });
        }
    }

    @Test
    void snippets_run() {
        assertThat(JCacheSnippets.centsOf(7)).isEqualTo(250);
        assertThat(JCacheSnippets.limited().getURI().getHost()).isEqualTo("shop");
        Caching.getCachingProvider().close();
    }
}
