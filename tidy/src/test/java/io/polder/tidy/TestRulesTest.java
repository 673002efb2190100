package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestRulesTest {

    @Test
    void longTests_repository_areListed() {
        Tidy.assertNone(TestRules.longTests(Repository.tree()));
    }

    @Test
    void longTests_canary_isCaught() {
        Tree tree =
                Tree.of(
                        "core/src/test/java/io/polder/SlowTest.java",
                        "@Tag(\"full\")\nclass SlowTest {}\n",
                        "core/src/test/java/io/polder/MoreTest.java",
                        "class MoreTest {\n    int rounds = TestScale" + ".of(1, 9);\n}\n",
                        "core/src/test/java/io/polder/QuickTest.java",
                        "// @Tag(\"full\")\nclass QuickTest {}\n",
                        "CONTRIBUTING.md",
                        "`Other1Test`\n## Long tests\n\n| `QuickTest` |\n## More\n`Other2Test`\n");
        assertThat(TestRules.longTests(tree))
                .extracting(Violation::message)
                .containsExactly(
                        "not under Long tests: MoreTest",
                        "not under Long tests: SlowTest",
                        "nothing long in: QuickTest");
    }

    @Test
    void longTests_listed_areFine() {
        Tree tree =
                Tree.of(
                        "core/src/test/java/io/polder/SlowTest.java",
                        "class SlowTest {\n    @Tag(\"full\")\n    @Test\n    void a() {}\n}\n",
                        "CONTRIBUTING.md",
                        "## Long tests\n\n| `SlowTest` |\n");
        assertThat(TestRules.longTests(tree)).isEmpty();
    }
}
