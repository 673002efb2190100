package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.cache.CachePolicy;
import io.polder.cache.OffHeapCache;
import io.polder.cache.jcache.ChangesTest.Recorder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import javax.cache.Cache;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.MutableEntry;

/** Events of an entry that expires while a processor looks at it: one event for one change. */
class ExpiredMeanwhileTest extends JCacheFixture {
    private static final long LIVES_MILLIS = 40;

    private final Recorder recorder = new Recorder();

    private Cache<Integer, Integer> cache(ExpiryPolicy policy) {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.setExpiryPolicyFactory(() -> policy);
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(() -> recorder, null, true, true));
        return cache(configuration);
    }

    private Cache<Integer, Integer> touched() {
        return cache(new TouchedExpiryPolicy(new Duration(TimeUnit.MILLISECONDS, LIVES_MILLIS)));
    }

    /** Has a value in the cache, runs when the processor has seen it, and once it has expired. */
    private void invoke(
            Cache<Integer, Integer> cache,
            Runnable meanwhile,
            EntryProcessor<Integer, Integer, @Nullable Void> processor) {
        boolean[] seen = new boolean[1];
        while (!seen[0]) { // a machine may be so busy that it expires before
            cache.put(1, 5);
            recorder.events.clear();
            cache.invoke(
                    1,
                    (entry, arguments) -> {
                        seen[0] = entry.exists();
                        if (seen[0]) {
                            pause();
                            meanwhile.run();
                            processor.process(entry, arguments);
                        }
                        return null;
                    });
        }
    }

    private static void pause() {
        try {
            Thread.sleep(2 * LIVES_MILLIS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static @Nullable Void set(int value, MutableEntry<Integer, Integer> entry) {
        entry.setValue(value);
        return null;
    }

    @Test
    void entry_thatGetsAValue_isUpdatedAlone() {
        Cache<Integer, Integer> cache = touched();
        invoke(cache, () -> {}, (entry, _) -> set(6, entry));
        assertThat(recorder.events).startsWith("UPDATED 5>6").doesNotContain("EXPIRED 5>5");
    }

    @Test
    void entry_thatIsRemoved_isRemovedAlone() {
        Cache<Integer, Integer> cache = touched();
        invoke(
                cache,
                () -> {},
                (entry, _) -> {
                    entry.remove();
                    return null;
                });
        assertThat(recorder.events).containsExactly("REMOVED 5>5");
        assertThat(cache.containsKey(1)).isFalse();
    }

    @Test
    void entry_thatAnotherThreadFindsExpired_isUpdatedAlone() {
        Cache<Integer, Integer> cache = touched();
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            invoke(
                    cache,
                    () ->
                            assertThat(other.submit(() -> cache.get(1)))
                                    .succeedsWithin(java.time.Duration.ofMinutes(3))
                                    .isNull(),
                    (entry, _) -> set(6, entry));
        }
        assertThat(recorder.events).startsWith("UPDATED 5>6").doesNotContain("EXPIRED 5>5");
    }

    @Test
    void entry_thatIsOnlyLookedAt_expiresOnce() {
        Cache<Integer, Integer> cache = touched();
        invoke(cache, () -> {}, (entry, _) -> null);
        assertThat(cache.get(1)).isNull();
        assertThat(recorder.events).containsExactly("EXPIRED 5>5");

        invoke(
                cache,
                () -> {},
                (entry, _) -> {
                    Integer _ = entry.getValue();
                    return null;
                });
        assertThat(cache.get(1)).isNull();
        assertThat(recorder.events).containsExactly("EXPIRED 5>5");
    }

    @Test
    void entry_whoseProcessorThrows_expiresOnce() {
        Cache<Integer, Integer> cache = touched();
        assertThatThrownBy(
                        () ->
                                invoke(
                                        cache,
                                        () -> {},
                                        (_, _) -> {
                                            throw new IllegalStateException("made by the test");
                                        }))
                .hasRootCauseMessage("made by the test");
        assertThat(cache.get(1)).isNull();
        assertThat(recorder.events).containsExactly("EXPIRED 5>5");
    }

    /** An update of lifetime zero is an expiry of the new value. */
    @Test
    void entry_thatExpiresWithItsNewValue_expiresOnce() {
        Cache<Integer, Integer> cache =
                cache(
                        new ExpiryPolicy() {
                            @Override
                            public Duration getExpiryForCreation() {
                                return new Duration(TimeUnit.MILLISECONDS, LIVES_MILLIS);
                            }

                            @Override
                            public @Nullable Duration getExpiryForAccess() {
                                return null;
                            }

                            @Override
                            public Duration getExpiryForUpdate() {
                                return Duration.ZERO;
                            }
                        });
        invoke(cache, () -> {}, (entry, _) -> set(6, entry));
        assertThat(recorder.events).containsExactly("EXPIRED 6>6");
    }

    /** What is evicted has not expired: the new value lives as long as the old one would have. */
    @Test
    void entry_thatIsEvicted_keepsItsTime() {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration
                .setMaximumEntries(100)
                .setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY));
        Cache<Integer, Integer> cache = cache(configuration);
        CachePolicy<?, ?> policy = cache.unwrap(OffHeapCache.class).policy();
        cache.put(1, 5);
        boolean seen =
                cache.invoke(
                        1,
                        (entry, _) -> {
                            boolean exists = entry.exists();
                            policy.setMaximumEntries(1);
                            for (int key = 2; cache.containsKey(1) && key < 10_000; key++) {
                                cache.put(key, key);
                                Integer _ = cache.get(key);
                            }
                            assertThat(cache.containsKey(1)).as("is evicted").isFalse();
                            policy.setMaximumEntries(100);
                            entry.setValue(6);
                            return exists;
                        });
        assertThat(seen).isTrue();
        assertThat(cache.get(1)).isEqualTo(6);
    }
}
