package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;

/** While a function of the program runs, its thread has no scratch. */
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
}
