package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Against quartiles worked out by hand. */
class QuartilesTest {
    @Test
    void of_oneValue_isThatValue() {
        assertThat(Quartiles.of(new double[] {3})).isEqualTo(new Quartiles(3, 3, 3));
    }

    @Test
    void of_fiveValues_standOnValues() {
        assertThat(Quartiles.of(new double[] {5, 1, 4, 2, 3})).isEqualTo(new Quartiles(2, 3, 4));
    }

    @Test
    void of_fourValues_standBetweenValues() {
        // Positions 0.75, 1.5 and 2.25 in 1, 2, 4, 8.
        assertThat(Quartiles.of(new double[] {8, 4, 2, 1})).isEqualTo(new Quartiles(1.75, 3, 5));
    }

    @Test
    void of_leavesTheSampleAsItIs() {
        double[] sample = {2, 1};
        Quartiles.of(sample);

        assertThat(sample).containsExactly(2, 1);
    }

    @Test
    void ofRatios_isTheMedianOfRatiosNotTheRatioOfMedians() {
        // Ratios 10, 1 and 4; the medians' ratio would be 20 / 2 = 10.
        double[] theirs = {20, 20, 40};
        double[] ours = {2, 20, 10};

        assertThat(Quartiles.ofRatios(theirs, ours)).isEqualTo(new Quartiles(2.5, 4, 7));
    }

    @Test
    void ofRatios_noiseThatHitsBothHalvesOfAPairCancelsOut() {
        double[] theirs = {40, 80, 400, 44};
        double[] ours = {4, 8, 40, 4.4};

        assertThat(Quartiles.ofRatios(theirs, ours).median()).isEqualTo(10);
    }

    @Test
    void badSamples_areRefused() {
        assertThatThrownBy(() -> Quartiles.of(new double[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length=0");
        assertThatThrownBy(() -> Quartiles.ofRatios(new double[2], new double[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("numerators=2, denominators=3");
    }
}
