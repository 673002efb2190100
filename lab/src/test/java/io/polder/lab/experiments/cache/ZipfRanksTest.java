package io.polder.lab.experiments.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class ZipfRanksTest {
    private static final int DRAWS = 1_000_000;

    @Test
    void ranks_ofTableAndTail_areAsOftenAsTheLawSays() {
        int ranks = 1_000_000;
        ZipfRanks zipf = new ZipfRanks(ranks, 0.99, new SplittableRandom(7));
        double sum = 0;
        double ofTail = 0;
        for (int i = 0; i < ranks; i++) {
            double weight = Math.pow(i + 1.0, -0.99);
            sum += weight;
            ofTail += i >= ranks / 2 ? weight : 0;
        }
        int inside = 0;
        int first = 0;
        int tail = 0;
        for (int i = 0; i < DRAWS; i++) {
            int rank = zipf.next();
            inside += rank >= 0 && rank < ranks ? 1 : 0;
            first += rank == 0 ? 1 : 0;
            tail += rank >= ranks / 2 ? 1 : 0;
        }
        assertThat(inside).isEqualTo(DRAWS);
        assertThat((double) first / DRAWS).isCloseTo(1 / sum, within(0.001));
        assertThat((double) tail / DRAWS).isCloseTo(ofTail / sum, within(0.001));
    }
}
