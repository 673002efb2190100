package io.polder.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Keys as programs ask for them.
 *
 * <p>The Twitter-like ones are no recordings: they follow Zipf's law with one exponent out of those
 * that were found at Twitter (Yang and others, OSDI 2020), and some keys go out of use as others
 * come. How fast they do is made up.
 */
public final class Traces {
    /** An endless row of keys. */
    public interface Keys {
        /** The next one. */
        long next();
    }

    /** How keys are asked for, and sizes of caches that are of interest. */
    public record Trace(String name, List<Integer> sizes, Supplier<Keys> keys) {
        /** The keys from the first one on. */
        public Keys begin() {
            return keys.get();
        }
    }

    private static final int ITEMS = 200_000;

    private Traces() {}

    /** All of them. */
    public static List<Trace> all(long seed) {
        List<Trace> all = new ArrayList<>();
        List<Integer> sizes = List.of(ITEMS / 200, ITEMS / 20, ITEMS / 5);
        for (double exponent : new double[] {0.7, 0.9, 0.99, 1.2}) {
            all.add(
                    new Trace(
                            "Zipf " + exponent,
                            sizes,
                            () -> {
                                Zipf zipf = new Zipf(ITEMS, exponent, seed);
                                return zipf::next;
                            }));
        }
        all.add(new Trace("loop of 20000", List.of(5000, 10_000, 18_000), () -> loop(20_000)));
        all.add(new Trace("Zipf 0.9 and scans", sizes, () -> withScans(seed)));
        all.add(new Trace("Zipf 0.9 and a loop", sizes, () -> withLoop(seed)));
        all.add(new Trace("recent keys", List.of(1000, 10_000), () -> recent(seed)));
        for (double drift : new double[] {0.002, 0.02, 0.2}) {
            all.add(
                    new Trace(
                            "Twitter-like, drift " + drift,
                            sizes,
                            () -> drifting(1.1, drift, seed)));
        }
        return all;
    }

    private static Keys loop(long length) {
        long[] next = new long[1];
        return () -> next[0]++ % length;
    }

    /** Every tenth thousand of requests is for keys that are never asked for again. */
    private static Keys withScans(long seed) {
        Zipf zipf = new Zipf(ITEMS, 0.9, seed);
        long[] count = new long[1];
        return () -> {
            long i = count[0]++;
            return i / 10_000 % 4 == 3 ? 1_000_000_000L + i : zipf.next();
        };
    }

    private static Keys withLoop(long seed) {
        Zipf zipf = new Zipf(ITEMS, 0.9, seed);
        long[] count = new long[1];
        return () -> {
            long i = count[0]++;
            return i % 4 == 3 ? 1_000_000_000L + i / 4 % 30_000 : zipf.next();
        };
    }

    /** New keys all the time, which are asked for a few times soon after they came. */
    private static Keys recent(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] newest = new long[1];
        return () -> {
            if (random.nextInt(4) == 0) {
                return newest[0]++;
            }
            double age = -Math.log(1 - random.nextDouble()) * 2000;
            return Math.max(0, newest[0] - (long) age);
        };
    }

    /** Ranks whose keys are replaced by others, the share of them for each request. */
    private static Keys drifting(double exponent, double drift, long seed) {
        Zipf zipf = new Zipf(ITEMS, exponent, seed);
        SplittableRandom random = new SplittableRandom(seed);
        long[] keyOfRank = new long[ITEMS];
        long[] newest = new long[1];
        for (int i = 0; i < ITEMS; i++) {
            keyOfRank[i] = newest[0]++;
        }
        return () -> {
            if (random.nextDouble() < drift) {
                // A rank is as likely to change as it is to be asked for, or any.
                int rank = random.nextBoolean() ? random.nextInt(ITEMS) : (int) zipf.rank();
                keyOfRank[rank] = newest[0]++;
            }
            return keyOfRank[(int) zipf.rank()];
        };
    }

    /** Ranks by Zipf's law: the rank r is chosen in proportion to 1 / r^exponent. */
    private static final class Zipf {
        private final double[] sums;
        private final SplittableRandom random;

        Zipf(int items, double exponent, long seed) {
            random = new SplittableRandom(seed);
            sums = new double[items];
            double sum = 0;
            for (int i = 0; i < items; i++) {
                sum += Math.pow(i + 1.0, -exponent);
                sums[i] = sum;
            }
        }

        long rank() {
            double wanted = random.nextDouble() * sums[sums.length - 1];
            int low = 0;
            int high = sums.length - 1;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sums[middle] < wanted) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        long next() {
            return rank() * 0x9E37_79B9L;
        }
    }
}
