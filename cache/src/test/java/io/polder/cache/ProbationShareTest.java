package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The share that gives most hits is found, and steps are small there. */
class ProbationShareTest {
    @ParameterizedTest
    @ValueSource(ints = {10, 100, 300, 600})
    void share_staysNearTheBestOne(int best) {
        checkShare(1000, 10_000, best);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 300, 600})
    void share_ofManyEntries_isFoundInShorterPeriods(int best) {
        checkShare(10_000, 40_000, best);
    }

    private static void checkShare(int entries, int requests, int best) {
        int lost = requests / 1000; // for each thousandth that the share is off the best one
        Counts counts = new Counts();
        counts.entries.set(entries);
        ProbationShare share = new ProbationShare();
        for (int period = 0; period < 100; period++) {
            int off = Math.abs(share.thousandths() - best);
            long hits = requests - (long) lost * off;
            long _ = counts.hits.add(hits);
            long _ = counts.misses.add(requests - hits);
            for (int look = 0; look < 256; look++) { // one in so many looks is one
                share.step(counts);
            }
            if (period >= 50) {
                assertThat(off).as("period %s", period).isLessThanOrEqualTo(40);
            }
        }
    }
}
