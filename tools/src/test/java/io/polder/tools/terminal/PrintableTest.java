package io.polder.tools.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void of_plainText_isTheText() {
        String text = "org/example/Größe$1 日本 \uD83D\uDE00 ~";

        assertThat(Printable.of(text)).isSameAs(text);
    }

    @Test
    void of_whatPrintsNothing_isEscaped() {
        assertThat(Printable.of("a\u001b[31mb\r\n\t\u0000\u007f\u009b"))
                .isEqualTo("a\\u001b[31mb\\u000d\\u000a\\u0009\\u0000\\u007f\\u009b");
        assertThat(Printable.of("x\u202Ey\u2066z\u2028\uFEFF"))
                .isEqualTo("x\\u202ey\\u2066z\\u2028\\ufeff");
        assertThat(Printable.of("lone \uD83D end")).isEqualTo("lone \\ud83d end");
    }
}
