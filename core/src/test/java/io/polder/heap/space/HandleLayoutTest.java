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

    /** However many heaps a process opens: 255 in a row have different ones. */
    @Test
    void tagOf_anyHeap_isATagAndNotThatOfItsNeighbours() {
        long[] before = {0, Integer.MAX_VALUE - 300L, 0xFFFF_FFFFL - 300, Long.MAX_VALUE - 600};
        for (long first : before) {
            for (long heap = first; heap < first + 600; heap++) {
                int tag = HandleLayout.tagOf(heap);
                assertThat(tag).isBetween(1, HandleLayout.TAG_MAX);
                assertThat(HandleLayout.tag(HandleLayout.of(tag, 1, 1))).isEqualTo(tag);
                int next = HandleLayout.tagOf(heap + 1);
                assertThat(next).isEqualTo(tag == HandleLayout.TAG_MAX ? 1 : tag + 1);
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
