package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.stream.Collectors;

class DocumentRulesTest {

    private static final String SECTIONS =
            DocumentRules.ADR_SECTIONS.stream()
                    .map(section -> "## " + section + "\n")
                    .collect(Collectors.joining());

    @Test
    void readme_repository_isShort() {
        Tidy.assertNone(DocumentRules.readme(Repository.tree()));
    }

    @Test
    void readme_canary_isCaught() {
        String lines = "a\n".repeat(DocumentRules.README_LINES_MAX);
        assertThat(DocumentRules.readme(Tree.of("README.md", lines))).isEmpty();
        assertThat(DocumentRules.readme(Tree.of("README.md", lines + "a\n"))).hasSize(1);
        assertThat(DocumentRules.readme(Tree.of("docs/README.md", lines))).hasSize(1);
    }

    @Test
    void decisions_repository_areCompleteAndListed() {
        Tidy.assertNone(DocumentRules.decisions(Repository.tree()));
    }

    @Test
    void decisions_complete_isFine() {
        Tree tree =
                Tree.of("docs/adr/README.md", "- [a](0001-a.md)", "docs/adr/0001-a.md", SECTIONS);
        assertThat(DocumentRules.decisions(tree)).isEmpty();
    }

    @Test
    void decisions_canary_isCaught() {
        Tree tree =
                Tree.of(
                        "docs/adr/README.md",
                        "- [a](0001-a.md) [c](0001-c.md)",
                        "docs/adr/0001-a.md",
                        SECTIONS.replace("## Risk\n", ""),
                        "docs/adr/0001-c.md",
                        SECTIONS,
                        "docs/adr/0002-b.md",
                        SECTIONS,
                        "docs/adr/notes.md",
                        SECTIONS);
        assertThat(DocumentRules.decisions(tree))
                .extracting(Violation::toString)
                .containsExactly(
                        "docs/adr/0001-a.md: no section Risk",
                        "docs/adr/0001-c.md: number taken: 0001",
                        "docs/adr/0002-b.md: not listed in docs/adr/README.md",
                        "docs/adr/notes.md: not named NNNN-words-like-this.md");
    }
}
