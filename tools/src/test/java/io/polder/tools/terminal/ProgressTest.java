package io.polder.tools.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

class ProgressTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void bar_overwritesItsLineAndLeavesNothing() {
        ProgressBar bar = new ProgressBar(stream);
        bar.show("a longer step", 0);
        bar.show("step", 0.5);
        bar.show("step", 0.5);
        bar.clear();

        String[] lines = written().split("\r", -1);
        assertThat(written()).doesNotContain("\n");
        // Nothing, two states, blanks over the last one, and the cursor at the start.
        assertThat(lines).hasSize(5);
        assertThat(lines[1]).isEqualTo("[" + "-".repeat(40) + "]   0 %  a longer step");
        assertThat(lines[2]).startsWith("[" + "#".repeat(20) + "-".repeat(20) + "]  50 %  step ");
        assertThat(lines[2]).hasSameSizeAs(lines[1]);
        assertThat(lines[3]).isBlank().hasSize(lines[2].strip().length());
        assertThat(lines[4]).isEmpty();
    }

    @Test
    void bar_staysWithinATerminal() {
        new ProgressBar(stream).show("x".repeat(200), 2);

        assertThat(written().substring(1)).hasSize(79).contains("] 100 %");
    }

    @Test
    void lines_comeOncePerStep() {
        ProgressLines lines = new ProgressLines(stream);
        lines.show("one", 0);
        lines.show("one", 0.2);
        lines.show("two", 0.5);
        lines.show("two", 1);
        lines.clear();

        assertThat(written().lines()).containsExactly("  0 %  one", " 50 %  two");
    }

    /** As the scan of one large jar, which said 0 % for as long as it took. */
    @Test
    void lines_ofALongStep_sayThatItGoesOn() {
        ProgressLines lines = new ProgressLines(stream);
        for (int i = 0; i <= 100; i++) {
            lines.show("large.jar", i / 100.0);
        }
        assertThat(written().lines())
                .containsExactly(
                        "  0 %  large.jar",
                        " 25 %  large.jar", " 50 %  large.jar", " 75 %  large.jar");
    }

    private String written() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
