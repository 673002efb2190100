package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names that class files may have and terminals should not. */
class PrintableNamesTest {
    private static final String EVIL = "a.B\u001b[2J\n\u202e\u009b\u00e9\ud83d\ude00";
    private static final String ESCAPED = "a.B\\u001b[2J\\u000a\\u202e\\u009b\u00e9\ud83d\ude00";

    @Test
    void place_namesWithControls_areEscaped() {
        CallSite site = new CallSite("a.B", "m\u001b]0;x\u0007", 3, true);
        assertThat(site.place()).isEqualTo("a.B.m\\u001b]0;x\\u0007(B.java:3)");
        assertThat(new CallSite(EVIL, "m", 0, true).place()).startsWith(ESCAPED + ".m(");
    }

    /** A name of Kotlin's: by the class alone nobody would find the file. */
    @Test
    void place_fileIsKnown_isOfThatFile() {
        assertThat(new CallSite("a.BKt", "m", 3, true, "B.kt").place())
                .isEqualTo("a.BKt.m(B.kt:3)");
        assertThat(new CallSite("a.BKt", "m", 0, true, "B.kt").place()).isEqualTo("a.BKt.m(B.kt)");
    }

    @Test
    void left_namesAndReasonsWithControls_areEscaped() {
        Outcomes outcomes = new Outcomes(line -> {});
        outcomes.left(EVIL, "no \u001b[1m reason");
        assertThat(outcomes.summary().left()).containsExactly(ESCAPED + ": no \\u001b[1m reason");
    }

    @Test
    void left_manyClassesAgainAndAgain_countOnce() {
        Outcomes outcomes = new Outcomes(line -> {});
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 150; i++) {
                outcomes.left("C" + i, "reason " + round);
            }
        }
        Outcomes.Summary summary = outcomes.summary();
        assertThat(summary.left()).hasSize(100).contains("C0: reason 2");
        assertThat(summary.leftCount()).isEqualTo(150);
    }
}
