package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextRulesTest {

    @Test
    void whitespace_repository_isClean() {
        Tidy.assertNone(TextRules.whitespace(Repository.tree()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\tb\n", "a \n", "a\r\n", "a"})
    void whitespace_canary_isCaught(String text) {
        assertThat(TextRules.whitespace(Tree.of("docs/A.md", text))).isNotEmpty();
        assertThat(TextRules.whitespace(Tree.of("docs/A.json", text))).isEmpty();
        assertThat(TextRules.whitespace(Tree.of("docs/a.js", text))).isNotEmpty();
        assertThat(TextRules.whitespace(Tree.of("docs/a.min.js", text))).isEmpty();
    }

    @Test
    void unfinished_repository_namesItsIssues() {
        Tidy.assertNone(TextRules.unfinished(Repository.tree()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TO" + "DO", "FIX" + "ME", "X" + "XX"})
    void unfinished_canary_isCaught(String mark) {
        assertThat(TextRules.unfinished(Tree.of("A.java", "// " + mark + ": later\n"))).hasSize(1);
        assertThat(TextRules.unfinished(Tree.of("A.java", "// " + mark + " (#12)\n"))).isEmpty();
        assertThat(TextRules.unfinished(Tree.of("A.md", "`" + mark + "`\n"))).isEmpty();
    }

    @Test
    void machinePaths_repository_hasNone() {
        Tidy.assertNone(TextRules.machinePaths(Repository.tree()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/wo" + "rk/a", "see /home" + "/jan/x", "\"/tm" + "p/wt/house\""})
    void machinePaths_canary_isCaught(String text) {
        assertThat(TextRules.machinePaths(Tree.of("a.json", text))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://example.org/work/a", "/usr/lib/jvm", "network/work/"})
    void machinePaths_elsewhere_isFine(String text) {
        assertThat(TextRules.machinePaths(Tree.of("a.json", text))).isEmpty();
    }
}
