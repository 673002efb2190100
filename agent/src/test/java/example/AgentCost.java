package example;

import io.polder.MemoryPool;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;

/**
 * What an arena costs that the agent has rewritten, beside the JDK's and a direct call of the
 * library. {@code docs/agent.md} says how to run it: the agent must leave {@link Jdk} alone.
 */
public final class AgentCost {
    private static final int ROUNDS = 15;
    private static final int ARENAS = 2_000_000;
    private static final int WARM_UP = 5;

    private AgentCost() {}

    /** Measures and prints. */
    public static void main(String[] arguments) {
        for (int bytes : new int[] {5, 20, 100}) {
            double[] jdk = new double[ROUNDS];
            double[] rewritten = new double[ROUNDS];
            double[] direct = new double[ROUNDS];
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                long start = System.nanoTime();
                long sum = Jdk.run(bytes);
                long afterJdk = System.nanoTime();
                sum += Rewritten.run(bytes);
                long afterRewritten = System.nanoTime();
                sum += Direct.run(bytes);
                long end = System.nanoTime();
                if (sum == 42) {
                    throw new AssertionError("addresses are aligned");
                }
                if (round >= 0) {
                    jdk[round] = (double) (afterJdk - start) / ARENAS;
                    rewritten[round] = (double) (afterRewritten - afterJdk) / ARENAS;
                    direct[round] = (double) (end - afterRewritten) / ARENAS;
                }
            }
            System.out.printf(
                    Locale.ROOT,
                    "%4d B: JDK %.1f ns, agent %.1f ns, direct %.1f ns; speed-up %.2f and %.2f:"
                            + " %.0f %%; agent - JDK %.1f ns%n",
                    bytes,
                    median(jdk),
                    median(rewritten),
                    median(direct),
                    ratio(jdk, rewritten),
                    ratio(jdk, direct),
                    100 * ratio(direct, rewritten),
                    median(rewritten) - median(jdk));
        }
    }

    /** The median of ratios within a round. */
    private static double ratio(double[] above, double[] below) {
        double[] ratios = new double[above.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = above[i] / below[i];
        }
        return median(ratios);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Left alone. */
    static final class Jdk {
        private Jdk() {}

        static long run(int bytes) {
            long sum = 0;
            for (int i = 0; i < ARENAS; i++) {
                try (Arena arena = Arena.ofConfined()) {
                    sum += arena.allocate(bytes).address() & 7;
                }
            }
            return sum;
        }
    }

    /** The same source, rewritten. */
    static final class Rewritten {
        private Rewritten() {}

        static long run(int bytes) {
            long sum = 0;
            for (int i = 0; i < ARENAS; i++) {
                try (Arena arena = Arena.ofConfined()) {
                    sum += arena.allocate(bytes).address() & 7;
                }
            }
            return sum;
        }
    }

    /** The library by its name. */
    static final class Direct {
        private Direct() {}

        static long run(int bytes) {
            long sum = 0;
            for (int i = 0; i < ARENAS; i++) {
                try (Arena arena = MemoryPool.ofConfined()) {
                    sum += arena.allocate(bytes).address() & 7;
                }
            }
            return sum;
        }
    }
}
