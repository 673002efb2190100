package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What arenas became, and what the next ones begin with because of it. */
class GrowthHistoryTest {
    private static final long SMALL = 1 << 10;
    private static final long PAGE = GrowthPolicy.PAGE_BYTES;

    private static final long HALF = PAGE / 2;

    /** Begins with a request for which nothing less than half a page will do. */
    private static final int HALF_KIND = 7;

    /** Fewer arenas than this say nothing. */
    private static final int ENOUGH = 8;

    /** One in so many begins a size smaller than the others. */
    private static final int SAMPLE = 32;

    private final GrowthHistory history = new GrowthHistory();

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 0",
        "16, 0",
        "17, 1",
        "32, 1",
        "33, 2",
        "64, 2",
        "65, 3",
        "1024, 6",
        "1025, 7",
        "16384, 10",
        "16385, 11",
        "9223372036854775807, 11"
    })
    void kind_ofAFirstRequest_goesByPowersOfTwo(long bytes, int kind) {
        assertThat(GrowthHistory.kind(bytes)).isEqualTo(kind);
    }

    @Test
    void firstBytes_nothingKnown_isThePolicys() {
        for (int kind = 0; kind < 12; kind++) {
            assertThat(history.firstBytes(kind, true)).isEqualTo(kind == HALF_KIND ? HALF : SMALL);
            assertThat(history.nextBytes(kind, PAGE, true)).isEqualTo(GrowthPolicy.nextBytes(PAGE));
        }
    }

    @Test
    void firstBytes_memoryIsNotAmple_isAsIfNothingWereKnown() {
        for (int i = 0; i < 2 * ENOUGH; i++) {
            history.firstBytes(3, true);
            growToAPage(3);
        }
        assertThat(history.firstBytes(3, true)).isEqualTo(PAGE);
        assertThat(history.firstBytes(3, false)).isEqualTo(SMALL);
        assertThat(history.firstBytes(HALF_KIND, false)).isEqualTo(HALF);
        assertThat(history.nextBytes(3, SMALL, true)).isEqualTo(PAGE);
        assertThat(history.nextBytes(3, SMALL, false)).isEqualTo(SMALL);
    }

    @Test
    void firstBytes_allOutgrewHalfAPage_isAPageButForASample() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(3, true)).isEqualTo(SMALL);
            growToAPage(3);
        }
        int halves = 0;
        for (int i = 0; i < 10 * SAMPLE; i++) {
            long first = history.firstBytes(3, true);
            if (first != PAGE) {
                assertThat(first).isEqualTo(HALF);
                halves++;
                history.grew(3, HALF, HALF + SMALL);
            }
        }
        assertThat(halves).isEqualTo(10);
    }

    @Test
    void firstBytes_allStayedWithinHalfAPage_isThatButForASample() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(3, true)).isEqualTo(SMALL);
            history.grew(3, SMALL, HALF);
        }
        int small = 0;
        for (int i = 0; i < 10 * SAMPLE; i++) {
            long first = history.firstBytes(3, true);
            if (first != HALF) {
                assertThat(first).isEqualTo(SMALL);
                small++;
                history.grew(3, SMALL, HALF);
            }
        }
        assertThat(small).isEqualTo(10);
    }

    @Test
    void firstBytes_ofAnotherKind_isNotLearned() {
        teach(3, 100);
        for (int kind = 0; kind < HALF_KIND; kind++) {
            if (kind != 3) {
                assertThat(history.firstBytes(kind, true)).isEqualTo(SMALL);
                assertThat(history.nextBytes(kind, SMALL, true)).isEqualTo(SMALL);
            }
        }
    }

    /** Half of them must outgrow it: otherwise what is smaller is right for most. */
    @ParameterizedTest
    @CsvSource({"1, 1024", "2, 2048", "4, 2048"})
    void firstBytes_someOutgrewTheSmallest_theMajorityDecides(int ofFour, long expected) {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(0, true)).isEqualTo(SMALL);
            if (i % 4 < ofFour) {
                history.grew(0, SMALL, HALF);
            }
        }
        assertThat(history.firstBytes(0, true)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 2048", "2, 4096", "4, 4096"})
    void firstBytes_someOutgrewHalfAPage_theMajorityDecides(int ofFour, long expected) {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(0, true)).isEqualTo(SMALL);
            history.grew(0, SMALL, HALF);
            if (i % 4 < ofFour) {
                history.grew(0, HALF, HALF + SMALL);
            }
        }
        assertThat(history.firstBytes(0, true)).isEqualTo(expected);
    }

    /** What needs no less than half a page from the start has nothing to say about less. */
    @Test
    void firstBytes_firstRequestsOfHalfAPage_arePagesWhereMostOutgrewThat() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(HALF_KIND, true)).isEqualTo(HALF);
            history.grew(HALF_KIND, HALF, PAGE);
        }
        assertThat(history.firstBytes(HALF_KIND, true)).isEqualTo(PAGE);
        assertThat(history.firstBytes(HALF_KIND + 1, true)).isEqualTo(SMALL); // the request decides
    }

    @Test
    void nextBytes_mostThatHadHalfAPageOutgrewIt_isAPage() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.nextBytes(5, SMALL, true)).isEqualTo(SMALL);
            assertThat(history.firstBytes(5, true)).isEqualTo(SMALL);
            growToAPage(5);
            history.firstBytes(5, true); // twice as many stay small: so the first chunk does, too
            history.firstBytes(5, true);
        }
        assertThat(history.firstBytes(5, true)).isEqualTo(SMALL);
        assertThat(history.nextBytes(5, SMALL, true)).isEqualTo(PAGE);
        assertThat(history.nextBytes(5, HALF, true)).isEqualTo(PAGE);
        assertThat(history.nextBytes(5, PAGE, true)).isEqualTo(GrowthPolicy.nextBytes(PAGE));
    }

    @Test
    void nextBytes_mostThatGrewStayedSmall_isThePolicys() {
        for (int i = 0; i < 4 * ENOUGH; i++) {
            history.firstBytes(5, true);
            if (i % 4 == 0) {
                growToAPage(5);
            } else {
                history.grew(5, SMALL, HALF);
            }
        }
        assertThat(history.nextBytes(5, SMALL, true)).isEqualTo(SMALL);
    }

    /** Otherwise those that were given a page would say that pages are needed, for ever. */
    @Test
    void grew_byAPageOfItsOwn_saysNothingAboutHalfAPage() {
        for (int i = 0; i < ENOUGH; i++) {
            history.firstBytes(5, true);
            history.grew(5, SMALL, SMALL + PAGE);
        }
        assertThat(history.firstBytes(5, true)).isEqualTo(HALF);
        assertThat(history.nextBytes(5, SMALL, true)).isEqualTo(SMALL);
    }

    /** The counts are halved: what was learned from many is unlearned from about as many. */
    @Test
    void firstBytes_arenasChangeTheirWays_followsThem() {
        teach(2, 100_000);
        assertThat(mostBegin(2)).isEqualTo(PAGE);
        int opened = 0;
        while (mostBegin(2) != SMALL) { // nobody grows any more
            opened += SAMPLE;
            assertThat(opened).as("it never forgets").isLessThan(20_000);
        }
        teach(2, 5000);
        assertThat(mostBegin(2)).isEqualTo(PAGE);
    }

    private void teach(int kind, int arenas) {
        for (int i = 0; i < arenas; i++) {
            long first = history.firstBytes(kind, true);
            if (first == SMALL) {
                growToAPage(kind);
            } else if (first == HALF) {
                history.grew(kind, HALF, HALF + SMALL);
            }
        }
    }

    /** What all but the sample begin with that stay as small as they begin. */
    private long mostBegin(int kind) {
        int[] levels = new int[3];
        for (int i = 0; i < SAMPLE; i++) {
            levels[Long.numberOfTrailingZeros(history.firstBytes(kind, true) / SMALL)]++;
        }
        for (int level = 0; level < levels.length; level++) {
            if (levels[level] >= SAMPLE - 1) {
                return SMALL << level;
            }
        }
        return 0;
    }

    /** What an arena does that began small and takes three chunks more. */
    private void growToAPage(int kind) {
        history.grew(kind, SMALL, 2 * SMALL);
        history.grew(kind, 2 * SMALL, 3 * SMALL);
        history.grew(kind, 3 * SMALL, 4 * SMALL);
        history.grew(kind, 4 * SMALL, 6 * SMALL);
    }
}
