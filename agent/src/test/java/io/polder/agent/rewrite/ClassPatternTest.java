package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.regex.Pattern;

class ClassPatternTest {
    @ParameterizedTest
    @CsvSource({
        "com.acme.*, com.acme.Main, true",
        "com.acme.*, com.acme.Main$Inner, true",
        "com.acme.*, com.acme.deep.Main, false",
        "com.acme.**, com.acme.deep.Main, true",
        "com.acme.**, com.acmex.Main, false",
        "**, a.B, true",
        "*, B, true",
        "*, a.B, false",
        "a.B, a.B, true",
        "a.B, a.Bc, false"
    })
    void matches_documentedForms(String pattern, String name, boolean expected) {
        assertThat(new ClassPattern(pattern).matches(name)).isEqualTo(expected);
    }

    @Test
    void matches_random_likeRegularExpression() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int matched = 0;
        for (int i = 0; i < 20_000; i++) {
            String pattern = text(random, "ab.*");
            String name = text(random, "ab.");
            String regex =
                    pattern.replace(".", "\\.")
                            .replace("**", "\0")
                            .replace("*", "[^.]*")
                            .replace("\0", ".*");
            boolean expected = Pattern.matches(regex, name);
            matched += expected ? 1 : 0;
            assertThat(new ClassPattern(pattern).matches(name))
                    .as("seed=%d pattern=%s name=%s", seed, pattern, name)
                    .isEqualTo(expected);
        }
        assertThat(matched).as("seed=%d", seed).isBetween(500, 19_500);
    }

    private static String text(Random random, String alphabet) {
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(6);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "a b", "a?"})
    void pattern_thatCannotMatch_isRefused(String text) {
        assertThatThrownBy(() -> new ClassPattern(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a pattern must");
    }
}
