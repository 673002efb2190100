package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/** Loaded values that are too large for an entry. */
class LoadedValuesTest extends CacheFixture {
    /** The old value is outdated. */
    @Test
    void getAll_ofAValueThatIsTooLarge_returnsItAndLeavesNone() {
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(16 << 20).build()) {
            String large = "x".repeat(3 << 20);
            cache.put(2L, "old");
            assertThat(cache.getAll(List.of(1L), _ -> Map.of(1L, large, 2L, large, 3L, "three")))
                    .isEqualTo(Map.of(1L, large));
            assertThat(cache.asMap()).isEqualTo(Map.of(3L, "three"));
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            assertThat(cache.policy().keepsLoaded(1L, large)).isFalse();
            assertThat(cache.policy().keepsLoaded(1L, "small")).isTrue();
            assertThat(cache.stats().refusedPuts()).isEqualTo(3);
        }
    }
}
