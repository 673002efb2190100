package io.polder.lab.experiments.cache;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Ranks by Zipf's law: the rank r, from 0, is drawn in proportion to 1 / (r + 1)^exponent.
 *
 * <p>The first ranks have a table of sums. Behind it the sum is close to an integral, which can be
 * inverted, so that any number of ranks takes no more memory.
 *
 * <pre>{@code
 *   sum over r >= table of 1 / (r + 1)^s   ~   integral from table + 1/2 to ranks + 1/2 of x^-s
 * }</pre>
 */
final class ZipfRanks {
    /** Ranks in the table: far more than where the two differ. */
    private static final int TABLE_MAX = 1 << 16;

    private final double[] sums;
    private final int ranks;
    private final double power;
    private final double tail;
    private final SplittableRandom random;

    /** Of so many ranks, with an exponent that is not 1. */
    ZipfRanks(int ranks, double exponent, SplittableRandom random) {
        this.ranks = ranks;
        this.random = random;
        this.power = 1 - exponent;
        this.sums = new double[Math.min(ranks, TABLE_MAX)];
        double sum = 0;
        for (int i = 0; i < sums.length; i++) {
            sum += Math.pow(i + 1.0, -exponent);
            sums[i] = sum;
        }
        this.tail = integral(ranks + 0.5) - integral(sums.length + 0.5);
    }

    /** A rank, from 0. */
    int next() {
        double head = sums[sums.length - 1];
        double wanted = random.nextDouble() * (head + tail);
        if (wanted < head) {
            int found = Arrays.binarySearch(sums, wanted);
            return found < 0 ? -found - 1 : found;
        }
        double above = integral(sums.length + 0.5) + wanted - head;
        double x = Math.pow(above * power, 1 / power);
        return Math.clamp((long) (x - 0.5), sums.length - 1, ranks - 1);
    }

    private double integral(double x) {
        return Math.pow(x, power) / power;
    }
}
