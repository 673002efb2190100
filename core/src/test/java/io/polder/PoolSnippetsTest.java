package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The examples of the Javadoc do what the text around them says. */
class PoolSnippetsTest {
    @Test
    void greeting_always_comesBack() {
        assertThat(PoolSnippets.greeting()).isEqualTo("Hello from below sea level");
    }

    @Test
    void recycling_always_takesNoMoreThanTheReport() {
        assertThat(PoolSnippets.recycling()).isEqualTo(4000);
    }
}
