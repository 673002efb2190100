package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.SizeLaw;

import java.util.Arrays;
import java.util.List;

/** Sizes of blocks: a table of sizes at equal distances, which is drawn from. Immutable. */
final class BlockSizes {
    /** A power of two; small enough to stay in the first cache beside what is measured. */
    private static final int TABLE = 1 << 11;

    /** Largest first bit of an int, so that an index comes from the upper bits of a number. */
    private static final int SHIFT = Long.SIZE - 11;

    private final int[] table;

    private BlockSizes(int[] table) {
        this.table = table;
    }

    /** All sizes of a range alike, both ends with them. */
    static BlockSizes uniform(int least, int most) {
        int[] table = new int[TABLE];
        Arrays.setAll(table, i -> least + (int) ((i + 0.5) / TABLE * (most - least + 1)));
        return new BlockSizes(table);
    }

    /** Sizes by a law. */
    static BlockSizes of(SizeLaw law) {
        return new BlockSizes(law.table(TABLE));
    }

    /** A size, by a number of which all bits are random. */
    int at(long random) {
        return table[(int) (random >>> SHIFT)];
    }

    /** The mean of all sizes. */
    double mean() {
        return Arrays.stream(table).average().orElseThrow();
    }

    /** The smallest and the largest size. */
    List<Integer> ends() {
        return List.of(table[0], table[TABLE - 1]);
    }
}
