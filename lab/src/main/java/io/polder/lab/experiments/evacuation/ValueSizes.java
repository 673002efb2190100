package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.SizeLaw;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Sizes of values as caches have them: most are small, half of all bytes are in few large ones.
 *
 * <p>A table of sizes at equal distances is drawn from: one read instead of a search and a power.
 * Immutable.
 */
final class ValueSizes {
    /** A power of two, and enough that the largest sizes are in it. */
    private static final int TABLE = 1 << 16;

    private final int[] table;

    private ValueSizes(int[] table) {
        this.table = table;
    }

    /** The sizes of Meta's workload kvcache_reg. */
    static ValueSizes ofCache() {
        return new ValueSizes(SizeLaw.named("kvcache").table(TABLE));
    }

    /** A size. */
    int next(SplittableRandom random) {
        return table[random.nextInt() & TABLE - 1];
    }

    /** The mean of all sizes. */
    double mean() {
        return Arrays.stream(table).average().orElseThrow();
    }

    /** The largest size. */
    int max() {
        return table[TABLE - 1];
    }
}
