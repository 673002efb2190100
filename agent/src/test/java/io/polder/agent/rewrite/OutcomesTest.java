package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What is remembered of classes, however many a program makes. */
class OutcomesTest {
    private static final int MANY = 30_000;

    /** The rule: all are known again and counted once, and few are kept by name. */
    @Test
    void rewrittenAndLeft_manyClassesAgainAndAgain_countOnceAndAreKnown() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Set<String> distinct = new HashSet<>();
        while (distinct.size() < MANY) {
            distinct.add("script.Generated_" + random.nextInt() + "_" + random.nextInt(100));
        }
        List<String> names = new ArrayList<>(distinct);
        Outcomes outcomes = new Outcomes(line -> {});
        for (int round = 0; round < 3; round++) {
            Collections.shuffle(names, random);
            for (String name : names) {
                outcomes.rewritten(name);
                outcomes.left(name, "reason");
            }
        }
        Outcomes.Summary summary = outcomes.summary();
        assertThat(names).as("seed %d", seed).allMatch(outcomes::mayBeRewritten);
        assertThat(summary.rewritten()).hasSize(1000);
        assertThat(summary.left()).hasSize(100);
        for (long count : new long[] {summary.rewrittenCount(), summary.leftCount()}) {
            assertThat(count)
                    .as("seed %d", seed)
                    .isCloseTo(MANY, within(MANY / 20L))
                    .isLessThanOrEqualTo(MANY);
        }
    }

    @Test
    void rewritten_someClasses_areExact() {
        Outcomes outcomes = new Outcomes(line -> {});
        for (int i = 0; i < 1000; i++) {
            outcomes.rewritten("C" + i);
            outcomes.rewritten("C" + i);
        }
        assertThat(outcomes.summary().rewrittenCount()).isEqualTo(1000);
        assertThat(outcomes.mayBeRewritten("C1000")).isFalse();
    }
}
