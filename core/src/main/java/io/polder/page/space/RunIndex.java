package io.polder.page.space;

import org.jspecify.annotations.Nullable;

/**
 * The free runs of one kind in one reservation, by size and by address.
 *
 * <pre>{@code
 *   classes   ...01101      which sizes there are: class c has the runs of 2^c granules and more,
 *                  | ||     up to twice as many
 *   starts[0]   <--+-|+     a bit for the first granule of each run of one granule
 *   starts[2]   <----+      ... of 4 to 7 granules
 * }</pre>
 *
 * <p>Lists of runs would give any one; these sets give the lowest or the highest as fast.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class RunIndex {
    private final int size;
    private final @Nullable BitTree[] starts = new @Nullable BitTree[Integer.SIZE];
    private final int[] counts = new int[Integer.SIZE];
    private final long[] granules = new long[Integer.SIZE];
    private int classes;

    /** An empty index of runs among so many granules. */
    RunIndex(int size) {
        this.size = size;
    }

    void add(int first, int count) {
        int c = Granules.runClass(count);
        BitTree tree = starts[c];
        if (tree == null) {
            tree = new BitTree(size);
            starts[c] = tree;
        }
        tree.set(first);
        counts[c]++;
        granules[c] += count;
        classes |= 1 << c;
    }

    void remove(int first, int count) {
        int c = Granules.runClass(count);
        tree(c).clear(first);
        granules[c] -= count;
        if (--counts[c] == 0) {
            classes &= ~(1 << c);
        }
    }

    /** How many runs of a class there are. */
    int count(int runClass) {
        return counts[runClass];
    }

    /** How many granules the runs of a class have together. */
    long granules(int runClass) {
        return granules[runClass];
    }

    /** Which classes have runs, a bit for each. */
    int classes() {
        return classes;
    }

    /** The first granule of the lowest run, or {@link BitTree#NONE}. */
    int lowest() {
        int lowest = BitTree.NONE;
        for (int rest = classes; rest != 0; rest &= rest - 1) {
            int first = tree(Integer.numberOfTrailingZeros(rest)).first();
            if (lowest == BitTree.NONE || first < lowest) {
                lowest = first;
            }
        }
        return lowest;
    }

    /** The first granule of the highest run, or {@link BitTree#NONE}. */
    int highest() {
        return highestOf(classes);
    }

    /** The first granule of the highest run that begins at a granule or before it, likewise. */
    int startAtOrBefore(int granule) {
        int highest = BitTree.NONE;
        for (int rest = classes; rest != 0; rest &= rest - 1) {
            BitTree tree = tree(Integer.numberOfTrailingZeros(rest));
            highest = Math.max(highest, tree.get(granule) ? granule : tree.before(granule));
        }
        return highest;
    }

    /** The first granule of the highest run of one class, which has some. */
    int highestOfClass(int runClass) {
        return tree(runClass).last();
    }

    /** The first granule of the lowest run among those of at least so many granules, likewise. */
    int lowestFitting(int count, Area area) {
        int lowest = BitTree.NONE;
        for (int rest = largeEnough(count); rest != 0; rest &= rest - 1) {
            int first = tree(Integer.numberOfTrailingZeros(rest)).first();
            lowest = lowest == BitTree.NONE ? first : Math.min(lowest, first);
        }
        return lowest != BitTree.NONE ? lowest : amongClass(count, area);
    }

    /**
     * The first granule of a run of at least so many granules, or {@link BitTree#NONE}: the highest
     * of those whose class says that they are large enough; if there is none, the highest large
     * enough of the class below.
     */
    int highestFitting(int count, Area area) {
        int highest = highestOf(largeEnough(count));
        return highest != BitTree.NONE ? highest : amongClass(count, area);
    }

    private int largeEnough(int count) {
        return classes & -(1 << Granules.requestClass(count));
    }

    private int highestOf(int someClasses) {
        int highest = BitTree.NONE;
        for (int rest = someClasses; rest != 0; rest &= rest - 1) {
            highest = Math.max(highest, tree(Integer.numberOfTrailingZeros(rest)).last());
        }
        return highest;
    }

    /** Looks through the runs whose class has smaller and larger ones. */
    private int amongClass(int count, Area area) {
        int c = Granules.runClass(count);
        if ((classes & (1 << c)) == 0 || c == Granules.requestClass(count)) {
            return BitTree.NONE;
        }
        BitTree tree = tree(c);
        int first = tree.last();
        while (first != BitTree.NONE && area.at(first).count < count) {
            first = tree.before(first);
        }
        return first;
    }

    private BitTree tree(int c) {
        BitTree tree = starts[c];
        if (tree == null) {
            throw new AssertionError("a class with runs has a set of them: class=" + c);
        }
        return tree;
    }

    /** Whether a run is where it belongs. */
    boolean contains(int first, int count) {
        BitTree tree = starts[Granules.runClass(count)];
        return tree != null && tree.get(first);
    }

    /** Checks the sets, and that the numbers of runs are these. */
    void verify(int[] expected) {
        for (int c = 0; c < counts.length; c++) {
            BitTree tree = starts[c];
            int found = 0;
            if (tree != null) {
                tree.verify();
                for (int at = tree.last(); at != BitTree.NONE; at = tree.before(at)) {
                    found++;
                }
            }
            boolean listed = (classes & (1 << c)) != 0;
            if (found != counts[c] || found != expected[c] || listed != (found != 0)) {
                throw new AssertionError(
                        "a set holds exactly the free runs of its class: class="
                                + c
                                + ", inSet="
                                + found
                                + ", counted="
                                + counts[c]
                                + ", runs="
                                + expected[c]);
            }
        }
    }
}
