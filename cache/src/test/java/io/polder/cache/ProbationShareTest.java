package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The share that gives most hits is found, and steps are small there. */
class ProbationShareTest {
    private static final int ENTRIES = 1000;
    private static final int PERIOD = 10 * ENTRIES;

    /** Of a period, for each thousandth that the share is off the best one. */
    private static final int LOST = PERIOD / 1000;

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 300, 600})
    void share_staysNearTheBestOne(int best) {
        Counts counts = new Counts();
        counts.entries.set(ENTRIES);
        ProbationShare share = new ProbationShare();
        for (int period = 0; period < 100; period++) {
            int off = Math.abs(share.thousandths() - best);
            long hits = PERIOD - (long) LOST * off;
            long _ = counts.hits.add(hits);
            long _ = counts.misses.add(PERIOD - hits);
            for (int look = 0; look < 256; look++) { // one in so many looks is one
                share.step(counts);
            }
            if (period >= 50) {
                assertThat(off).as("period %s", period).isLessThanOrEqualTo(40);
            }
        }
    }
}
