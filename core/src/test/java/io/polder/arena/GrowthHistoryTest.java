package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What arenas became, and what the next ones begin with because of it. */
class GrowthHistoryTest {
    private static final long SMALL = 1 << 10;
    private static final long PAGE = GrowthPolicy.PAGE_BYTES;

    /** Fewer arenas than this say nothing. */
    private static final int ENOUGH = 8;

    /** One in so many begins small whatever the others did. */
    private static final int SAMPLE = 8;

    private final GrowthHistory history = new GrowthHistory(GrowthPolicy.TINY);

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
        for (GrowthPolicy policy : GrowthPolicy.values()) {
            GrowthHistory fresh = new GrowthHistory(policy);
            for (int kind = 0; kind < 12; kind++) {
                assertThat(fresh.firstBytes(kind)).isEqualTo(policy.nextBytes(0));
                assertThat(fresh.nextBytes(kind, PAGE)).isEqualTo(policy.nextBytes(PAGE));
            }
        }
    }

    @Test
    void firstBytes_allOutgrewAPage_isAPageButForASample() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(3)).isEqualTo(SMALL);
            growToAPage(3);
        }
        int small = 0;
        for (int i = 0; i < 10 * SAMPLE; i++) {
            if (history.firstBytes(3) == SMALL) {
                small++;
                growToAPage(3);
            }
        }
        assertThat(small).isEqualTo(10);
    }

    @Test
    void firstBytes_ofAnotherKind_isNotLearned() {
        teach(3, 100);
        for (int kind = 0; kind < 12; kind++) {
            if (kind != 3) {
                assertThat(history.firstBytes(kind)).isEqualTo(SMALL);
                assertThat(history.nextBytes(kind, SMALL)).isEqualTo(SMALL);
            }
        }
    }

    /** Half of them must outgrow a page, or sharing pages is right for most. */
    @ParameterizedTest
    @CsvSource({"1, false", "2, true", "4, true"})
    void firstBytes_someOutgrewAPage_theMajorityDecides(int ofFour, boolean page) {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.firstBytes(0)).isEqualTo(SMALL);
            if (i % 4 < ofFour) {
                growToAPage(0);
            }
        }
        int pages = 0;
        for (int i = 0; i < SAMPLE; i++) {
            pages += history.firstBytes(0) == PAGE ? 1 : 0;
        }
        assertThat(pages > 0).isEqualTo(page);
    }

    @Test
    void nextBytes_mostThatGrewOutgrewAPage_isAPage() {
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(history.nextBytes(5, SMALL)).isEqualTo(SMALL);
            history.firstBytes(5);
            growToAPage(5);
            history.firstBytes(5); // as many stay small: so the first chunk does, too
            history.firstBytes(5);
        }
        assertThat(history.firstBytes(5)).isEqualTo(SMALL);
        assertThat(history.nextBytes(5, SMALL)).isEqualTo(PAGE);
        assertThat(history.nextBytes(5, 2 * SMALL)).isEqualTo(PAGE);
        assertThat(history.nextBytes(5, PAGE)).isEqualTo(GrowthPolicy.TINY.nextBytes(PAGE));
    }

    @Test
    void nextBytes_mostThatGrewStayedSmall_isThePolicys() {
        for (int i = 0; i < 4 * ENOUGH; i++) {
            history.firstBytes(5);
            if (i % 4 == 0) {
                growToAPage(5);
            } else {
                history.grew(5, SMALL, 2 * SMALL);
            }
        }
        assertThat(history.nextBytes(5, SMALL)).isEqualTo(SMALL);
    }

    /** The counts are halved: what was learned from many is unlearned from about as many. */
    @Test
    void firstBytes_arenasChangeTheirWays_followsThem() {
        teach(2, 100_000);
        int opened = 0;
        int small = 0;
        while (small < SAMPLE) { // all of a sample's distance begin small
            small = history.firstBytes(2) == SMALL ? small + 1 : 0;
            opened++;
            assertThat(opened).as("it never forgets").isLessThan(20_000);
        }
        teach(2, 5000);
        int pages = 0;
        for (int i = 0; i < SAMPLE; i++) {
            pages += history.firstBytes(2) == PAGE ? 1 : 0;
        }
        assertThat(pages).isEqualTo(SAMPLE - 1);
    }

    /** Arenas that begin with an OS page or more share none, so there is nothing to learn. */
    @ParameterizedTest
    @EnumSource(names = {"STANDARD", "LARGE"})
    void firstBytes_policyBeginsWithAPage_staysThePolicys(GrowthPolicy policy) {
        GrowthHistory large = new GrowthHistory(policy);
        long first = policy.nextBytes(0);
        for (int i = 0; i < 1000; i++) {
            assertThat(large.firstBytes(0)).isEqualTo(first);
            large.grew(0, first, 4 * first);
            assertThat(large.nextBytes(0, first)).isEqualTo(policy.nextBytes(first));
        }
    }

    private void teach(int kind, int arenas) {
        for (int i = 0; i < arenas; i++) {
            if (history.firstBytes(kind) == SMALL) {
                growToAPage(kind);
            }
        }
    }

    /** What an arena does that began small and takes three chunks more. */
    private void growToAPage(int kind) {
        history.grew(kind, SMALL, 2 * SMALL);
        history.grew(kind, 2 * SMALL, 3 * SMALL);
        history.grew(kind, 3 * SMALL, 4 * SMALL);
        history.grew(kind, 4 * SMALL, 6 * SMALL);
    }
}
