package io.polder.lab.experiments.evacuation;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The values that live, in arrays without gaps, so that one can be drawn at random.
 *
 * <pre>{@code
 *   keys, sizes, ids  |x|x|x|x|x|x|x| | | | |     a value that goes is replaced by the last one
 *                     0             count
 * }</pre>
 *
 * <p>The arrays are as long as they will ever be, and touched: what the resident set grows by is
 * not theirs. Not thread-safe.
 */
final class LivingValues {
    /** Bytes of the arrays for each value. */
    static final int BYTES_PER_VALUE = Long.BYTES + 2 * Integer.BYTES;

    private final long[] keys;
    private final int[] sizes;
    private final int[] ids;
    private int count;
    private long bytes;

    /** Room for so many values. */
    LivingValues(int valuesMax) {
        keys = new long[valuesMax];
        sizes = new int[valuesMax];
        ids = new int[valuesMax];
        Arrays.fill(keys, -1);
        Arrays.fill(sizes, -1);
        Arrays.fill(ids, -1);
    }

    void add(long key, int size, int id) {
        keys[count] = key;
        sizes[count] = size;
        ids[count] = id;
        count++;
        bytes += size;
    }

    /** Takes a value out; the number of another one may change. */
    void remove(int value) {
        bytes -= sizes[value];
        count--;
        keys[value] = keys[count];
        sizes[value] = sizes[count];
        ids[value] = ids[count];
    }

    /** The number of a value that is drawn. */
    int draw(SplittableRandom random) {
        return random.nextInt(count);
    }

    long key(int value) {
        return keys[value];
    }

    int size(int value) {
        return sizes[value];
    }

    int id(int value) {
        return ids[value];
    }

    /** The value has new content. */
    void setId(int value, int id) {
        ids[value] = id;
    }

    int count() {
        return count;
    }

    /** Of all values. */
    long bytes() {
        return bytes;
    }
}
