package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class LinkRulesTest {

    @Test
    void links_repository_areAlive() {
        Tidy.assertNone(LinkRules.links(Repository.tree()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[x](GONE.md)",
                "[x](../docs/GONE.md)",
                "[x](#gone)",
                "[x](B.md#gone)",
                "[x](https://)",
                "[x](https:example.org)",
                "[x](htp://example.org)",
                "[x][gone]",
                "[gone][]",
                "[x]: GONE.md",
                "[![x](GONE.png)](B.md)"
            })
    void links_canary_isCaught(String text) {
        assertThat(links(text)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[x](B.md)",
                "[x](../docs/B.md#words-and-code)",
                "[x](#here)",
                "[x](../docs)",
                "[x](../docs/)",
                "[x](https://example.org/a?b=c#d)",
                "[x](mailto:a@example.org)",
                "[x][label]\n\n[label]: B.md \"title\"",
                "`[x](GONE.md)`",
                "```\n[x](GONE.md)\n```"
            })
    void links_alive_areFine(String text) {
        assertThat(links(text)).isEmpty();
    }

    private static List<Violation> links(String text) {
        return LinkRules.links(
                Tree.of(
                        "docs/A.md",
                        "# Here\n" + text + "\n",
                        "docs/B.md",
                        "## Words, and `code`\n"));
    }

    @Test
    void anchors_repeatedHeading_isNumbered() {
        SourceFile file = new SourceFile("A.md", "# One\n## Two\n# One\n```\n# Not\n```\n");
        assertThat(Markdown.anchors(file)).containsExactly("one", "two", "one-1");
    }

    @Test
    void mentions_repository_exist() {
        Tidy.assertNone(LinkRules.mentions(Repository.tree()));
    }

    @Test
    void mentions_canary_isCaught() {
        Tree tree =
                Tree.of(
                        "core/A.java",
                        "// ADR " + "7, ADR" + "-0012, docs" + "/GONE.md, docs" + "/adr/0007-a.md",
                        "docs/adr/0007-a.md",
                        "It was core" + "/src/main/Once.java.",
                        "NOTICE",
                        "lab" + "/src/main/gone.txt, core" + "/src/main/A.java.",
                        "core/src/main/A.java",
                        "");
        assertThat(LinkRules.mentions(tree))
                .extracting(Violation::message)
                .containsExactlyInAnyOrder(
                        "no ADR" + "-0012",
                        "no docs" + "/GONE.md",
                        "no lab" + "/src/main/gone.txt");
    }

    @Test
    void codeNames_repository_exist() {
        Tidy.assertNone(LinkRules.codeNames(Repository.tree()));
    }

    @Test
    void codeNames_canary_isCaught() {
        String code = "core/src/main/java/io/polder/room/Thing.java";
        String event = "@Name(\"io.polder.Event\")";
        assertThat(
                        LinkRules.codeNames(
                                Tree.of("A.md", "`io.polder.gone` and `io.polder.Gone`", code, "")))
                .hasSize(2);
        assertThat(
                        LinkRules.codeNames(
                                Tree.of(
                                        "A.md",
                                        "`io.polder.room`, `io.polder.room.Thing`,"
                                                + " `io.polder.Event`\n"
                                                + "`io.polder.later` (planned)",
                                        code,
                                        event)))
                .isEmpty();
    }
}
