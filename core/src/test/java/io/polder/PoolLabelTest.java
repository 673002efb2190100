package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/** Labels of pools: no two that are told apart by name or number have the same. */
class PoolLabelTest {
    @Test
    void label_namesThatLookNumbered_isOfOnePoolOnly() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, String> seen = new HashMap<>();
        String[] parts = {"cache", " #", "#", "1", "2", " ", "12", "\n"};
        for (int i = 0; i < 20_000; i++) {
            StringBuilder name = new StringBuilder("a");
            for (int j = random.nextInt(6); j > 0; j--) {
                name.append(parts[random.nextInt(parts.length)]);
            }
            int number = 1 + random.nextInt(3);
            String pool = name + " and " + number;
            String before = seen.put(PoolLabel.of(name.toString(), number), pool);
            assertThat(before).as("seed=%d", seed).isIn(null, pool);
        }
    }

    @Test
    void label_plainName_hasANumberFromTheSecondOn() {
        assertThat(PoolLabel.of("cache", 1)).isEqualTo("cache");
        assertThat(PoolLabel.of("cache", 2)).isEqualTo("cache #2");
        assertThat(PoolLabel.of("cache #2", 1)).isEqualTo("cache #2 #1");
    }
}
