package io.polder.lab.harness;

import java.util.Arrays;

/**
 * The middle of a sample and its spread: what a noisy machine leaves in place, where a mean and a
 * standard deviation follow every outlier.
 *
 * <p>Between two neighbours in order the value is interpolated linearly, so that the quantile
 * {@code q} of {@code n} values stands at position {@code q * (n - 1)} counted from zero.
 *
 * @param lower a quarter of the sample is below
 * @param median half of the sample is below
 * @param upper a quarter of the sample is above
 */
public record Quartiles(double lower, double median, double upper) {
    /**
     * Quartiles of a sample.
     *
     * @throws IllegalArgumentException if the sample is empty
     */
    public static Quartiles of(double[] sample) {
        if (sample.length == 0) {
            throw new IllegalArgumentException("an empty sample has no quartiles: length=0");
        }
        double[] sorted = sample.clone();
        Arrays.sort(sorted);
        return new Quartiles(quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75));
    }

    /**
     * Quartiles of the ratios of two samples that were taken in pairs. What disturbed both halves
     * of a pair alike cancels out of its ratio, which is why this is not the ratio of two medians.
     *
     * @throws IllegalArgumentException if the samples are empty or not of the same length
     */
    public static Quartiles ofRatios(double[] numerators, double[] denominators) {
        if (numerators.length != denominators.length) {
            throw new IllegalArgumentException(
                    "paired samples are of the same length: numerators="
                            + numerators.length
                            + ", denominators="
                            + denominators.length);
        }
        double[] ratios = new double[numerators.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = numerators[i] / denominators[i];
        }
        return of(ratios);
    }

    private static double quantile(double[] sorted, double q) {
        double position = q * (sorted.length - 1);
        int below = (int) position;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }
}
