package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaRulesTest {

    private static final String MAIN = "core/src/main/java/A.java";
    private static final String TEST = "core/src/test/java/A.java";

    @Test
    void size_repository_isWithinBudget() {
        for (Violation warning : JavaRules.growing(Repository.tree())) {
            System.out.println("[WARNING] over " + JavaRules.LINES_WARNED + " lines: " + warning);
        }
        Tidy.assertNone(JavaRules.size(Repository.tree()));
    }

    @Test
    void size_canary_isCaught() {
        String lines = "//\n".repeat(JavaRules.MAIN_LINES_MAX);
        assertThat(JavaRules.size(Tree.of(MAIN, lines))).isEmpty();
        assertThat(JavaRules.size(Tree.of(MAIN, lines + "//\n"))).hasSize(1);
        assertThat(JavaRules.size(Tree.of(TEST, lines + "//\n"))).isEmpty();
        assertThat(JavaRules.size(Tree.of(TEST, lines + lines))).hasSize(1);
        assertThat(JavaRules.growing(Tree.of(TEST, lines))).hasSize(1);
    }

    @Test
    void width_repository_isWithinColumns() {
        Tidy.assertNone(JavaRules.width(Repository.tree()));
    }

    @Test
    void width_canary_isCaught() {
        String wide = "x".repeat(JavaRules.COLUMNS_MAX);
        assertThat(JavaRules.width(Tree.of(MAIN, wide))).isEmpty();
        assertThat(JavaRules.width(Tree.of(MAIN, "y\n" + wide + "x")))
                .singleElement()
                .extracting(Violation::line)
                .isEqualTo(2);
        assertThat(JavaRules.width(Tree.of(MAIN, "import " + wide))).isEmpty();
        assertThat(JavaRules.width(Tree.of(MAIN, "// https://" + wide))).isEmpty();
    }

    @Test
    void banned_repository_usesNone() {
        Tidy.assertNone(JavaRules.banned(Repository.tree()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "import java.util.*;",
                "import static java.util.List.*;",
                "System.out.println();",
                "f(System.err);",
                "Thread.sleep(1);",
                "import sun.misc." + "Unsafe;",
                "import static org.assertj.core.api." + "Assumptions.assumeThat;",
                "import org.assertj.core.api." + "SoftAssertions;",
                "Class.forName(\"sun.misc." + "Unsafe\");"
            })
    void banned_canary_isCaught(String code) {
        assertThat(JavaRules.banned(Tree.of(MAIN, code))).hasSize(1);
        assertThat(JavaRules.banned(Tree.of(MAIN, "// " + code))).isEmpty();
    }

    /** A test that fails in the middle never does what another thread waits for. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "latch.await();",
                "counter.entered.acquire();",
                "try (var threads = Executors.newFixedThreadPool(4)) {",
                "var thread = Executors.newSingleThreadExecutor();"
            })
    void banned_endlessWait_isCaught(String code) {
        assertThat(JavaRules.banned(Tree.of("core/src/test/java/ATest.java", code))).hasSize(1);
        assertThat(JavaRules.banned(Tree.of("core/src/test/java/AProbe.java", code))).isEmpty();
        assertThat(JavaRules.banned(Tree.of("cache/src/test/java/ATest.java", code))).isEmpty();
    }

    @Test
    void banned_whereAllowed_isFine() {
        assertThat(JavaRules.banned(Tree.of(TEST, "System.out.println();"))).isEmpty();
        assertThat(JavaRules.banned(Tree.of(MAIN, "f(\"System.out\");"))).isEmpty();
        String inBench = "bench/src/main/java/A.java";
        assertThat(JavaRules.banned(Tree.of(inBench, "sun.misc." + "Unsafe u;"))).isEmpty();
    }
}
