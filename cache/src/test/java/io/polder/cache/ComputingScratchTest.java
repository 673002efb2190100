package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** While a function of the program runs, or somebody waits for it, a thread has no scratch. */
class ComputingScratchTest extends CacheFixture {
    /** The one that the running thread has at hand. */
    private static Scratch own(OffHeapCache<?, ?> cache) {
        Scratch own = cache.store().scratches.take();
        cache.store().scratches.give(own);
        return own;
    }

    @Test
    void functions_run_withoutAScratch() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            ConcurrentMap<Long, String> map = cache.asMap();
            Scratch own = own(cache);
            List<Scratch> inside = new ArrayList<>();
            String value =
                    cache.get(
                            1L,
                            _ -> {
                                inside.add(own(cache));
                                return "loaded";
                            });
            assertThat(value).isEqualTo("loaded");
            map.compute(
                    1L,
                    (_, known) -> {
                        inside.add(own(cache));
                        return known + ", computed";
                    });
            map.merge(
                    1L,
                    ", merged",
                    (known, more) -> {
                        inside.add(own(cache));
                        return known + more;
                    });
            assertThat(cache.getIfPresent(1L)).isEqualTo("loaded, computed, merged");
            map.computeIfPresent(
                    1L,
                    (_, _) -> {
                        inside.add(own(cache));
                        return null;
                    });
            assertThat(map).isEmpty();
            assertThat(inside).hasSize(4).containsOnly(own);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void read_ofACopy_runsWithoutAScratch() {
        for (OffHeapCacheBuilder<Long, String> builder :
                List.of(longs(), longs().expireAfterAccess(Duration.ofNanos(9)))) {
            try (OffHeapCache<Long, String> cache = builder.build()) {
                Scratch own = own(cache);
                cache.put(1L, "one");
                boolean same = Boolean.TRUE.equals(cache.read(1L, _ -> own(cache) == own));
                assertThat(same).isTrue();
                assertThat(cache.stats().hits()).isEqualTo(1);
            }
        }
    }

    /** As with {@code getIfPresent}; the reader may take as long as he likes. */
    @Test
    void read_ofACopy_lengthensTheLife_beforeTheReaderLooks() {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterAccess(Duration.ofNanos(9)).build()) {
            cache.put(1L, "one");
            clock.addAndGet(8);
            Long left =
                    cache.read(
                            1L,
                            _ -> cache.policy().expiresIn(1L).map(Duration::toNanos).orElse(0L));
            assertThat(left).isEqualTo(9);
        }
    }

    private interface Change {
        void apply(OffHeapCache<Long, String> cache);
    }

    private static boolean isInComputations(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith(Computations.class.getName()));
    }

    /** While a loader of their key runs. */
    private void waitsWithoutAScratch(Change change, @Nullable String left)
            throws InterruptedException {
        CountDownLatch loading = new CountDownLatch(1);
        CountDownLatch loaded = new CountDownLatch(1);
        AtomicReference<Scratch> own = new AtomicReference<>();
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Thread changer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        own.set(own(cache)); // the first: its place is free
                                        await(loading);
                                        change.apply(cache);
                                    });
            while (own.get() == null) {
                Thread.sleep(1);
            }
            Thread loader =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            cache.get(
                                                    1L,
                                                    _ -> {
                                                        loading.countDown();
                                                        await(loaded);
                                                        return "loaded";
                                                    }));
            while (!isInComputations(changer) || changer.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
            assertThat(own.get().ownerId).isEqualTo(changer.threadId());
            assertThat(own.get().isTaken).isFalse();
            loaded.countDown();
            changer.join();
            loader.join();
            assertThat(cache.getIfPresent(1L)).isEqualTo(left);
            CacheCheck.verify(cache.store());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Timeout(300)
    void changes_waitForALoader_withoutAScratch() throws InterruptedException {
        waitsWithoutAScratch(cache -> cache.put(1L, "mine"), "mine");
        waitsWithoutAScratch(cache -> cache.asMap().put(1L, "mine"), "mine");
        waitsWithoutAScratch(cache -> cache.asMap().remove(1L), null);
        waitsWithoutAScratch(cache -> cache.invalidate(1L), null);
    }

    @Test
    @Timeout(300)
    void changesOnConditions_waitForALoader_withoutAScratch() throws InterruptedException {
        waitsWithoutAScratch(cache -> cache.asMap().putIfAbsent(1L, "mine"), "loaded");
        waitsWithoutAScratch(cache -> cache.asMap().replace(1L, "mine"), "mine");
        waitsWithoutAScratch(cache -> cache.asMap().replace(1L, "loaded", "mine"), "mine");
        waitsWithoutAScratch(cache -> cache.asMap().remove(1L, "loaded"), null);
    }

    /** That is no change. */
    @Test
    void putIfAbsent_whereAValueIs_doesNotWait() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "one");
            String computed =
                    cache.asMap().compute(1L, (key, _) -> cache.asMap().putIfAbsent(key, "two"));
            assertThat(computed).isEqualTo("one");
        }
    }
}
