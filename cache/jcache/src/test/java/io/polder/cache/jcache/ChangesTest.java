package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;
import javax.cache.event.CacheEntryEvent;
import javax.cache.event.CacheEntryExpiredListener;
import javax.cache.event.CacheEntryRemovedListener;
import javax.cache.event.CacheEntryUpdatedListener;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.expiry.TouchedExpiryPolicy;
import javax.cache.integration.CacheWriterException;
import javax.cache.processor.MutableEntry;

/** Changes of a key are one after the other, for the cache, its writer and its listeners. */
class ChangesTest extends JCacheFixture {
    private static final int THREADS = 4;
    private static final int ROUNDS = 2000;

    /** Writes down all events, as {@code CREATED 1}. */
    static final class Recorder
            implements CacheEntryCreatedListener<Integer, Integer>,
                    CacheEntryUpdatedListener<Integer, Integer>,
                    CacheEntryRemovedListener<Integer, Integer>,
                    CacheEntryExpiredListener<Integer, Integer> {
        final List<String> events = Collections.synchronizedList(new ArrayList<>());

        private void add(Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> happened) {
            happened.forEach(
                    each ->
                            events.add(
                                    each.getEventType()
                                            + " "
                                            + each.getOldValue()
                                            + ">"
                                            + each.getValue()));
        }

        @Override
        public void onCreated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> happened) {
            add(happened);
        }

        @Override
        public void onUpdated(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> happened) {
            add(happened);
        }

        @Override
        public void onRemoved(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> happened) {
            add(happened);
        }

        @Override
        public void onExpired(
                Iterable<CacheEntryEvent<? extends Integer, ? extends Integer>> happened) {
            add(happened);
        }
    }

    /** Refuses negative numbers. */
    private static RefusingStore<Integer, Integer> store() {
        return new RefusingStore<>((_, value) -> value < 0);
    }

    private static PolderConfiguration<Integer, Integer> ints() {
        return types(Integer.class, Integer.class);
    }

    private static PolderConfiguration<Integer, Integer> with(
            PolderConfiguration<Integer, Integer> configuration,
            Recorder recorder,
            boolean synchronous) {
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(
                        () -> recorder, null, true, synchronous));
        return configuration;
    }

    private static void together(Runnable task) throws Exception {
        List<FutureTask<?>> futures = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            FutureTask<?> future = new FutureTask<>(Executors.callable(task));
            futures.add(future);
            Thread _ = Thread.ofPlatform().daemon().start(future);
        }
        for (Future<?> each : futures) {
            each.get(200, TimeUnit.SECONDS);
        }
    }

    private static Integer increment(MutableEntry<Integer, Integer> entry, Object... arguments) {
        int next = entry.exists() ? entry.getValue() + 1 : 1;
        entry.setValue(next);
        return next;
    }

    private static void incrementTogether(Cache<Integer, Integer> cache) throws Exception {
        together(
                () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        cache.invoke(i % 7, ChangesTest::increment);
                    }
                });
        int sum = 0;
        for (Cache.Entry<Integer, Integer> each : cache) {
            sum += each.getValue();
        }
        assertThat(sum).isEqualTo(THREADS * ROUNDS);
    }

    @Test
    void invoke_byManyThreads_losesNothing() throws Exception {
        incrementTogether(cache(ints()));
    }

    @Test
    void invoke_ofEntriesThatExpire_losesNothing() throws Exception {
        PolderConfiguration<Integer, Integer> configuration = ints();
        configuration.setExpiryPolicyFactory(CreatedExpiryPolicy.factoryOf(Duration.ONE_DAY));
        incrementTogether(cache(configuration));
    }

    @Test
    void writerAndListener_seeChangesInTheirOrder() throws Exception {
        for (boolean synchronous : new boolean[] {true, false}) {
            Recorder recorder = new Recorder();
            RefusingStore<Integer, Integer> written = store();
            Cache<Integer, Integer> cache =
                    manager(synchronous ? "" : "?maximumBytes=33554432")
                            .createCache("cache", written.of(with(ints(), recorder, synchronous)));
            together(
                    () -> {
                        for (int i = 0; i < ROUNDS / 4; i++) {
                            cache.invoke(1, ChangesTest::increment);
                            if (i % 50 == 49) {
                                cache.remove(1);
                            }
                        }
                    });
            cache.put(1, 0);
            for (int i = 0;
                    recorder.events.isEmpty() || !recorder.events.getLast().endsWith(">0");
                    i++) {
                assertThat(i).isLessThan(40_000);
                Thread.sleep(5);
            }
            assertThat(written.values).containsEntry(1, 0);
            Integer value = null;
            for (String event : recorder.events) { // each begins with what the one before left
                assertThat(event)
                        .satisfiesAnyOf(
                                e -> assertThat(e).startsWith("CREATED null>"),
                                e -> assertThat(e).startsWith("UPDATED "),
                                e -> assertThat(e).startsWith("REMOVED "));
                String old = event.substring(event.indexOf(' ') + 1, event.indexOf('>'));
                assertThat(old).isEqualTo(String.valueOf(value));
                value =
                        event.startsWith("REMOVED")
                                ? null
                                : Integer.valueOf(event.substring(event.indexOf('>') + 1));
            }
        }
    }

    @Test
    void put_thatTheWriterRefuses_changesNothing() {
        RefusingStore<Integer, Integer> written = store();
        Cache<Integer, Integer> cache = cache(written.of(ints()));
        cache.put(1, 1);
        assertThatThrownBy(() -> cache.put(1, -1)).isInstanceOf(CacheWriterException.class);
        assertThat(cache.get(1)).isEqualTo(1);

        Map<Integer, Integer> some = new HashMap<>(Map.of(1, -2, 2, 2, 3, -3));
        assertThatThrownBy(() -> cache.putAll(some)).isInstanceOf(CacheWriterException.class);
        assertThat(cache.getAll(some.keySet())).isEqualTo(Map.of(1, 1, 2, 2));
        assertThat(written.values).isEqualTo(Map.of(1, 1, 2, 2));
    }

    @Test
    void put_thatWasWrittenAndCannotBeStored_leavesNoOldValue() {
        RefusingStore<String, Object> written = new RefusingStore<>((_, _) -> false);
        Cache<String, Object> cache = cache(written.of(types(String.class, Object.class)));
        cache.put("a", "old");
        Object refused = new Object();
        assertThatThrownBy(() -> cache.put("a", refused))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("must be Serializable");
        assertThat(written.values.get("a")).isSameAs(refused);
        assertThat(cache.containsKey("a")).isFalse();
    }

    /** A map that others have emptied when it is asked for its keys. */
    private static final class Emptied extends LinkedHashMap<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        @Override
        public Set<Integer> keySet() {
            return Set.of();
        }
    }

    /** Has a thread begin, and waits until it waits for this one, or has ended. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void begin(Thread other) {
        other.start();
        while (other.getState() != Thread.State.BLOCKED && other.isAlive()) {
            Thread.yield();
        }
    }

    @Test
    void putAll_ofAMapThatOthersChange_letsNobodyPutWhatItWrites() throws Exception {
        Map<Integer, Integer> emptied = new Emptied();
        emptied.put(1, 10);
        emptied.put(2, 20);
        List<Thread> others = new ArrayList<>();
        RefusingStore<Integer, Integer> written =
                new RefusingStore<>(
                        (key, _) -> {
                            if (key == 2 && !others.isEmpty()) {
                                begin(others.removeFirst());
                            }
                            return false;
                        });
        Cache<Integer, Integer> cache = cache(written.of(ints()));
        Thread other = Thread.ofPlatform().unstarted(() -> cache.put(1, 11));
        others.add(other);
        cache.putAll(emptied);
        other.join();
        assertThat(written.values).containsEntry(1, 11);
        assertThat(cache.get(1)).isEqualTo(11);
    }

    @Test
    void listener_isToldWhatHasExpired() throws Exception {
        Recorder recorder = new Recorder();
        PolderConfiguration<Integer, Integer> configuration = with(ints(), recorder, true);
        configuration.setExpiryPolicyFactory(
                TouchedExpiryPolicy.factoryOf(new Duration(TimeUnit.MILLISECONDS, 50)));
        Cache<Integer, Integer> cache = cache(configuration);
        cache.put(1, 5);
        for (int i = 0; !recorder.events.contains("EXPIRED 5>5"); i++) {
            assertThat(i).isLessThan(10_000);
            Thread.sleep(5);
            cache.put(2, i); // a change looks for what has expired elsewhere
            boolean _ = i % 20 == 19 && cache.containsKey(1);
        }
        assertThat(cache.get(1)).isNull();
        assertThat(recorder.events).startsWith("CREATED null>5");
    }

    private static boolean ends(Thread thread) {
        try {
            return thread.join(java.time.Duration.ofMinutes(2));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** So it may change what it likes, and whoever changes it as well. */
    @Test
    void listener_ofWhatAnotherChangeFindsExpired_isToldWithNoLock() throws Exception {
        PolderConfiguration<Integer, Integer> configuration = ints().setMaximumEntries(16);
        configuration.setExpiryPolicyFactory(
                CreatedExpiryPolicy.factoryOf(new Duration(TimeUnit.MILLISECONDS, 50)));
        Cache<Integer, Integer> cache = cache(configuration);
        List<Boolean> told = Collections.synchronizedList(new ArrayList<>());
        CacheEntryExpiredListener<Integer, Integer> listener =
                events ->
                        events.forEach(
                                each -> {
                                    if (each.getKey() == 1) {
                                        Runnable change = () -> cache.put(2, -1);
                                        told.add(ends(Thread.ofPlatform().start(change)));
                                    }
                                });
        cache.registerCacheEntryListener(
                new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, true));
        cache.put(1, 5);
        for (int i = 0; told.isEmpty(); i++) {
            assertThat(i).isLessThan(10_000);
            Thread.sleep(5);
            cache.put(2, i); // a change looks for what has expired elsewhere
        }
        assertThat(told).containsExactly(true);
    }

    @Test
    void processor_thatChangesItsOwnKeyByTheCache_isRefused() {
        Cache<Integer, Integer> cache = cache(ints());
        assertThatThrownBy(
                        () ->
                                cache.invoke(
                                        1,
                                        (entry, _) -> {
                                            cache.put(1, 1);
                                            return null;
                                        }))
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("must not change the entry of its own key");
        cache.invoke(
                1,
                (entry, _) -> {
                    cache.put(2, 2);
                    entry.setValue(1);
                    return null;
                });
        assertThat(cache.get(1)).isEqualTo(1);
        assertThat(cache.get(2)).isEqualTo(2);
    }
}
