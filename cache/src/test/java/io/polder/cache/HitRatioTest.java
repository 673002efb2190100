package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link HitRatios} measures at length, with few requests: no policy is lost by accident. */
class HitRatioTest {
    private static final long REQUESTS = 150_000;

    private static HitRatios.Row measure(String name, long entries, long requests) {
        return HitRatios.measure(
                Traces.all(1).stream()
                        .filter(trace -> trace.name().equals(name))
                        .findFirst()
                        .orElseThrow(),
                entries,
                requests);
    }

    @ParameterizedTest
    @CsvSource({
        "Zipf 0.7, 10000, 0.008, 0.035",
        "Zipf 0.9, 1000, 0.03, 0.05",
        "Zipf 0.9, 10000, 0.008, 0.03",
        "Zipf 0.99, 1000, 0.03, 0.05",
        "Zipf 0.9 and scans, 1000, 0.03, 0.03",
        "Zipf 0.9 and scans, 10000, 0.008, 0.03",
        "'Twitter-like, drift 0.002', 1000, 0.03, 0.02"
    })
    void hits_areNearCaffeinesAndAboveThoseOfALru(
            String name, long entries, double gap, double gain) {
        HitRatios.Row row = measure(name, entries, REQUESTS);
        assertThat(row.gap()).as("%s", row).isLessThan(gap);
        assertThat(row.polder() - row.lru()).as("%s", row).isGreaterThan(gain);
    }

    /** Keys come, are asked for some times, and go: what came last is what is wanted. */
    @Test
    void keysThatAreWantedForAShortTime_areKeptMeanwhile() {
        HitRatios.Row row = measure("Twitter-like, drift 0.2", 1000, REQUESTS);
        assertThat(row.polder()).as("%s", row).isGreaterThan(0.55);
    }

    @ParameterizedTest
    @CsvSource({"5000, 0.2", "10000, 0.395", "18000, 0.6"})
    void loop_thatDoesNotFit_hasHits(long entries, double least) {
        HitRatios.Row row = measure("loop of 20000", entries, REQUESTS);
        assertThat(row.lru()).isZero();
        assertThat(row.polder()).as("%s", row).isGreaterThan(least);
    }
}
