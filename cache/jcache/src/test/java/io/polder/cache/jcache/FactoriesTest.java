package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import javax.cache.CacheManager;
import javax.cache.configuration.Factory;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;

/** Factories of a configuration that make nothing. */
class FactoriesTest extends JCacheFixture {
    @SuppressWarnings("NullAway") // what is tested
    private static <T> Factory<T> ofNothing() {
        return () -> null;
    }

    private static void set(PolderConfiguration<Long, String> configuration, String what) {
        switch (what) {
            case "a codec" -> configuration.setKeyCodec(ofNothing());
            case "the pool" -> configuration.setPool(ofNothing());
            case "the expiry policy" -> configuration.setExpiryPolicyFactory(ofNothing());
            case "the loader" ->
                    configuration.setReadThrough(true).setCacheLoaderFactory(ofNothing());
            case "the writer" ->
                    configuration.setWriteThrough(true).setCacheWriterFactory(ofNothing());
            case "a listener" ->
                    configuration.addCacheEntryListenerConfiguration(
                            new MutableCacheEntryListenerConfiguration<>(
                                    ofNothing(), null, false, true));
            case "a filter" -> {
                CacheEntryCreatedListener<Long, String> listener = _ -> {};
                configuration.addCacheEntryListenerConfiguration(
                        new MutableCacheEntryListenerConfiguration<>(
                                () -> listener, ofNothing(), false, true));
            }
            default -> throw new AssertionError(what);
        }
    }

    /** Nobody has a cache that silently loads, writes or filters nothing. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a codec",
                "the pool",
                "the expiry policy",
                "the loader",
                "the writer",
                "a listener",
                "a filter"
            })
    void createCache_withAFactoryThatMakesNull_isRefused(String what) {
        CacheManager manager = manager("");
        PolderConfiguration<Long, String> configuration = types(Long.class, String.class);
        set(configuration, what);
        assertThatThrownBy(() -> manager.createCache("cache", configuration))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("what the factory of " + what + " makes");
        assertThat(manager.getCacheNames()).isEmpty();
        manager.createCache("cache", types(Long.class, String.class)).put(1L, "one");
    }
}
