package io.polder.stress.everywhere;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.logging.Level;
import java.util.logging.Logger;

/** What is said of all that was tried. */
class ThrowEverywhereTest {
    private final Logger logger = Logger.getLogger("io.polder");
    private final Level level = logger.getLevel();

    @AfterEach
    void logAsBefore() {
        logger.setLevel(level);
    }

    /** One entry, and nothing that could be wrong. */
    private record Entry() implements Scenario {
        @Override
        public void operate() {
            Throwing.entry();
        }

        @Override
        public void check(@Nullable Throwable thrown) {}
    }

    private static boolean isWell(String... arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        boolean _ = everywhere.check("one.of-a-test", Entry::new);
        return everywhere.report();
    }

    @Test
    void report_someTried_isWell() {
        assertThat(isWell("--only", "one.")).isTrue();
    }

    /** A check that tries nothing cannot fail. */
    @ParameterizedTest
    @CsvSource({"--only, one.|two.", "--only, other.", "--kind, SYSTEM", "--point, 1000"})
    void report_nothingTried_isNot(String option, String value) {
        assertThat(isWell(option, value)).isFalse();
    }
}
