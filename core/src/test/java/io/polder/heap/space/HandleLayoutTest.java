package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HandleLayoutTest {
    @Test
    void handle_extremes_keepTheirParts() {
        for (int tag : new int[] {1, HandleLayout.TAG_MAX}) {
            for (int generation : new int[] {1, HandleWordLayout.GENERATION_MAX}) {
                for (long index : new long[] {0, HandleLayout.INDEX_MAX}) {
                    long handle = HandleLayout.of(tag, generation, index);
                    assertThat(HandleLayout.tag(handle)).isEqualTo(tag);
                    assertThat(HandleLayout.generation(handle)).isEqualTo(generation);
                    assertThat(HandleLayout.index(handle)).isEqualTo(index);
                    assertThat(handle).isNotZero();
                }
            }
        }
    }

    @Test
    void generationIf_anotherTag_isNoGeneration() {
        long handle = HandleLayout.of(7, 65535, 12);
        assertThat(HandleLayout.generationIf(handle, 7)).isEqualTo(65535);
        for (int tag = 1; tag <= HandleLayout.TAG_MAX; tag++) {
            if (tag != 7) {
                assertThat(HandleLayout.generationIf(handle, tag))
                        .isGreaterThan(HandleWordLayout.GENERATION_MAX);
            }
        }
    }
}
