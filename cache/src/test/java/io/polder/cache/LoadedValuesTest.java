package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Loaded values that are too large for an entry are returned, and as if evicted at once. */
class LoadedValuesTest extends CacheFixture {
    private static final String LARGE = "x".repeat(3 << 20);

    /** The old value is outdated. */
    @Test
    void getAll_ofAValueThatIsTooLarge_returnsItAndLeavesNone() {
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(16 << 20).build()) {
            cache.put(2L, "old");
            assertThat(cache.getAll(List.of(1L), _ -> Map.of(1L, LARGE, 2L, LARGE, 3L, "three")))
                    .isEqualTo(Map.of(1L, LARGE));
            assertThat(cache.asMap()).isEqualTo(Map.of(3L, "three"));
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
        }
    }

    @Test
    void get_ofAValueThatIsTooLarge_returnsItAndTellsTheListener() {
        List<String> told = new ArrayList<>();
        try (OffHeapCache<Long, String> cache =
                longs().maximumBytes(16 << 20)
                        .removalListener(
                                (key, value, cause) ->
                                        told.add(key + " " + value.length() + " " + cause))
                        .build()) {
            assertThat(cache.get(1L, _ -> LARGE)).isEqualTo(LARGE);
            assertThat(cache.asMap().computeIfAbsent(2L, _ -> LARGE)).isEqualTo(LARGE);
            assertThat(cache.asMap()).isEmpty();
            assertThat(cache.stats().refusedPuts()).isEqualTo(2);
            assertThat(told).containsExactly("1 3145728 SIZE", "2 3145728 SIZE");
        }
    }

    /** What it is asked for is looked at again afterwards. */
    @Test
    void getAll_whoseLoaderChangesTheKeys_refusesThat() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            assertThatThrownBy(
                            () ->
                                    cache.getAll(
                                            List.of(1L),
                                            missing -> {
                                                missing.clear();
                                                return Map.of(1L, "one");
                                            }))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(cache.asMap()).isEmpty();
            assertThat(cache.stats().loadFailures()).isEqualTo(1);
        }
    }
}
