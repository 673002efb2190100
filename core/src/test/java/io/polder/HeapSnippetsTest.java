package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapSnippetsTest {
    @Test
    void heap_asInTheJavadoc_works() {
        assertThat(HeapSnippets.heap()).isEqualTo(42);
    }
}
