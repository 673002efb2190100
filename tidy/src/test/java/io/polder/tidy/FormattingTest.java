package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.FormatterException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

class FormattingTest {

    private static final String FIX = "mvn -q -pl tidy test -Dtidy.fix";

    /** Formatting takes a minute for all; anyone who has changed little need not wait for that. */
    @Test
    void check_changedFiles_areFormatted() {
        Set<String> changed = Repository.changed(Repository.root());
        Tidy.assertNone(Formatting.check(Tree.read(Repository.root(), changed)), "Run: " + FIX);
    }

    @Tag("full")
    @Test
    void check_repository_isFormatted() throws IOException, FormatterException {
        List<Violation> violations = Formatting.check(Repository.tree());
        if (System.getProperty("tidy.fix") == null) {
            Tidy.assertNone(violations, "Run: " + FIX);
            return;
        }
        for (Violation violation : violations) {
            Path file = Repository.root().resolve(violation.path());
            Files.writeString(file, Formatting.formatFully(Files.readString(file)));
            System.out.println("formatted " + violation.path());
        }
    }

    @Test
    void check_canary_isCaught() {
        assertThat(Formatting.check(Tree.of("A.java", "class A {\n  int a;\n}\n")))
                .containsExactly(new Violation("A.java", 2, "not formatted"));
        assertThat(Formatting.check(Tree.of("A.java", "import java.util.List;\n\nclass A {}\n")))
                .containsExactly(new Violation("A.java", 1, "not formatted"));
        assertThat(Formatting.check(Tree.of("A.java", "class A {")))
                .singleElement()
                .extracting(Violation::message)
                .asString()
                .startsWith("cannot be parsed");
    }

    @Test
    void check_drawingInJavadoc_isLeftAlone() {
        String drawing = "/**\n * +--+--+\n * |a | b|\n *   of   two\n */\nclass A {}\n";
        assertThat(Formatting.check(Tree.of("A.java", drawing))).isEmpty();
    }

    @Test
    void check_newestSyntax_isParsed() {
        String source =
                """
                import module java.base;

                class A {
                    A(int a) {
                        if (a < 0) throw new IllegalArgumentException();
                        super();
                    }
                }
                """;
        assertThat(Formatting.check(Tree.of("A.java", source))).isEmpty();
    }
}
