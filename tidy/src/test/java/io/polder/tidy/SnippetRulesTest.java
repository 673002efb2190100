package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SnippetRulesTest {
    private static final String SNIPPETS =
            """
            package a.b;

            import java.util.List;
            import java.util.Map;

            /** The examples of docs/a.md. */
            final class ASnippets {
                // @start region="one"
                List<Thing> things() {
                    return List.of();
                }

                // @end
            }
            """;

    private static final String LINES =
            """
            import a.b.Thing;
            import java.util.List;

            List<Thing> things() {
                return List.of();
            }
            """;

    private static Tree tree(String document) {
        return Tree.of(
                "x/src/test/java/a/b/ASnippets.java",
                SNIPPETS,
                "x/src/main/java/a/b/Thing.java",
                "package a.b;",
                "docs/a.md",
                document,
                "docs/b.md",
                "```java\nnot compiled\n```\n");
    }

    @Test
    void check_repository_showsWhatIsCompiled() {
        Tidy.assertNone(SnippetRules.check(Repository.tree()));
        assertThat(Repository.tree().markdown())
                .filteredOn(file -> file.path().equals("docs/cache.md"))
                .singleElement()
                .satisfies(
                        file ->
                                assertThat(file.text())
                                        .contains("import io.polder.cache.OffHeapCache;"));
    }

    @Test
    void check_regionBelowItsImports_isFine() {
        assertThat(SnippetRules.check(tree("# A\n\n```java\n" + LINES + "```\n"))).isEmpty();
    }

    @Test
    void check_canary_isCaught() {
        assertThat(SnippetRules.check(tree("# A\n\n```java\n" + LINES.strip() + " // new\n```\n")))
                .extracting(Violation::message)
                .containsExactly(
                        "Java that is no region of snippets",
                        "without these lines:\n" + LINES.strip());
        assertThat(SnippetRules.check(tree("# A\n"))).hasSize(1);
    }
}
