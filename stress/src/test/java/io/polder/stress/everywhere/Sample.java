package io.polder.stress.everywhere;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * What is instrumented in tests: methods of each kind, allocations of each kind. A copy of it runs,
 * made by another class loader, so only {@link Supplier} is known of it.
 */
final class Sample implements Supplier<List<String>> {
    /** The entries that {@link #get} comes to, in order; the first is that of its bridge. */
    static final List<String> ENTRIES =
            List.of(
                    "get",
                    "get",
                    "lambda",
                    "loop",
                    "<init>",
                    "<init>",
                    "sum",
                    "synchronised",
                    "recovers");

    /** How much {@link #get} allocates. */
    static final int ALLOCATIONS = 11;

    @Override
    public List<String> get() {
        List<String> made = new ArrayList<>(); // new
        int start = made.size() + 3;
        made.add("first"); // the list may grow
        IntUnaryOperator next = i -> i + start; // a lambda
        int[] numbers = new int[next.applyAsInt(1)]; // newarray
        String[] names = new String[2]; // anewarray
        int[][] table = new int[2][3]; // multianewarray
        Object box = loop(numbers, 3) > 2 ? Integer.valueOf(numbers.length) : names; // valueOf
        Pair pair = new Pair(box.hashCode() > 0 ? numbers : table[0], new Pair(names, names)); // 2
        String text = "sum " + pair.sum(); // concatenation
        made.add(text); // the list may grow
        recovers(made);
        return made;
    }

    /** A loop that jumps to its first instruction. */
    private static int loop(int[] numbers, int rounds) {
        while (rounds > 0) {
            rounds--;
            numbers[0]++;
        }
        return numbers[0];
    }

    private static synchronized long synchronised() {
        return 1;
    }

    /** Its handler runs whatever is thrown. */
    private static void recovers(List<String> made) {
        boolean done = false;
        try {
            done = made.size() > 1;
        } finally {
            if (!done) {
                made.clear();
            }
        }
    }

    /** Something with a constructor. */
    private static final class Pair {
        private final Object left;
        private final Object right;

        Pair(Object left, Object right) {
            this.left = left;
            this.right = right;
        }

        long sum() {
            return synchronised() + (left == right ? 1 : 0);
        }
    }
}
