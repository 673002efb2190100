package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@link HitRatios} measures at length, with few requests: no policy is lost by accident. */
class HitRatioTest {
    private static final long REQUESTS = 150_000;

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
        HitRatios.Row row =
                HitRatios.measure(
                        Traces.all(1).stream()
                                .filter(trace -> trace.name().equals(name))
                                .findFirst()
                                .orElseThrow(),
                        entries,
                        REQUESTS);
        assertThat(row.gap()).as("%s", row).isLessThan(gap);
        assertThat(row.polder() - row.lru()).as("%s", row).isGreaterThan(gain);
    }

    @ParameterizedTest
    @CsvSource({"5000, 0.17", "10000, 0.415", "18000, 0.6"})
    void loop_thatDoesNotFit_hasHits(long entries, double least) {
        HitRatios.Row row =
                HitRatios.measure(
                        Traces.all(1).stream()
                                .filter(trace -> trace.name().startsWith("loop"))
                                .findFirst()
                                .orElseThrow(),
                        entries,
                        REQUESTS);
        assertThat(row.lru()).isZero();
        assertThat(row.polder()).as("%s", row).isGreaterThan(least);
    }
}
