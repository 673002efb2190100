package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JavaTextTest {

    @Test
    void withoutComments_keepsLiterals() {
        assertThat(JavaText.withoutComments("a // b\nc /* d\n */ \"// e\" '\"' // f"))
                .isEqualTo("a     \nc     \n    \"// e\" '\"'     ");
    }

    @Test
    void withoutCommentsAndLiterals_blanksBoth() {
        assertThat(JavaText.withoutCommentsAndLiterals("f(\"a\\\"b\", 'c') /* d */"))
                .isEqualTo("f(\"    \", ' ')" + " ".repeat(8));
    }

    @Test
    void withoutCommentsAndLiterals_textBlock_endsAtThreeQuotes() {
        assertThat(JavaText.withoutCommentsAndLiterals("x = \"\"\"\n  a \" b\n\"\"\" + y"))
                .isEqualTo("x = \"\"\"\n       \n\"\"\" + y");
    }
}
