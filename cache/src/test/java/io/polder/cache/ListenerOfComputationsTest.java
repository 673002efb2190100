package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A listener that the thread of a computation calls may write to any key. */
class ListenerOfComputationsTest extends CacheFixture {
    private final AtomicReference<OffHeapCache<Long, String>> used = new AtomicReference<>();

    /** Of a cache whose listener puts something in the place of each "old" that has left. */
    private void withCache(Consumer<OffHeapCache<Long, String>> test) {
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(Duration.ofNanos(100))
                        .removalListener(
                                (key, value, _) -> {
                                    if (value.equals("old")) {
                                        used.get().put(key, "of the listener");
                                    }
                                })
                        .build()) {
            used.set(cache);
            cache.put(1L, "old");
            test.accept(cache);
            assertThat(cache.getIfPresent(1L)).isEqualTo("of the listener");
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void compute_whoseListenerPutsTheSameKey_hasThat() {
        withCache(cache -> assertThat(cache.asMap().compute(1L, (_, _) -> "new")).isEqualTo("new"));
    }

    @Test
    void computeIfPresent_toNull_whoseListenerPutsTheSameKey_hasThat() {
        withCache(cache -> assertThat(cache.asMap().computeIfPresent(1L, (_, _) -> null)).isNull());
    }

    @Test
    void compute_ofWhatHasExpired_whoseListenerPutsTheSameKey_hasThat() {
        withCache(
                cache -> {
                    clock.addAndGet(100);
                    String computed =
                            cache.asMap()
                                    .compute(
                                            1L,
                                            (_, known) -> {
                                                assertThat(known).isNull();
                                                return "new";
                                            });
                    assertThat(computed).isEqualTo("new");
                });
    }

    @Test
    void compute_whoseFunctionThrows_tellsOfWhatHasExpired() {
        withCache(
                cache -> {
                    clock.addAndGet(100);
                    try {
                        String _ =
                                cache.asMap()
                                        .compute(
                                                1L,
                                                (_, _) -> {
                                                    throw new ArithmeticException("by the test");
                                                });
                    } catch (ArithmeticException _) {
                        // as it should
                    }
                });
    }

    @Test
    void function_thatRemovesOthers_hasThemToldAtOnce() {
        List<String> told = new ArrayList<>();
        try (OffHeapCache<Long, String> cache =
                longs().removalListener((_, value, cause) -> told.add(value + cause)).build()) {
            cache.put(1L, "a");
            cache.put(2L, "b");
            String _ =
                    cache.asMap()
                            .compute(
                                    1L,
                                    (_, _) -> {
                                        cache.invalidate(2L);
                                        assertThat(told).containsExactly("bEXPLICIT");
                                        return "c";
                                    });
            assertThat(told).containsExactly("bEXPLICIT", "aREPLACED");
        }
    }

    @Test
    @Timeout(300)
    void listeners_thatPutTheKeyOfTheOtherThread_endBoth() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        try (OffHeapCache<Long, String> cache =
                longs().removalListener(
                                (key, value, _) -> {
                                    if (value.equals("old")) {
                                        await(both);
                                        used.get().put(3 - key, "of the other");
                                    }
                                })
                        .build()) {
            used.set(cache);
            cache.put(1L, "old");
            cache.put(2L, "old");
            List<FutureTask<?>> running = new ArrayList<>();
            for (long key = 1; key <= 2; key++) {
                long mine = key;
                running.add(
                        new FutureTask<>(
                                () -> cache.asMap().merge(mine, "new", (_, next) -> next)));
                Thread _ = Thread.ofPlatform().daemon().start(running.getLast());
            }
            for (FutureTask<?> each : running) {
                assertThat(each.get(200, TimeUnit.SECONDS)).isEqualTo("new");
            }
            assertThat(cache.asMap().values()).containsOnly("of the other");
        }
    }

    private static void await(CyclicBarrier both) {
        try {
            int _ = both.await(200, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
