package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HandleWordLayoutTest {
    private static final long HIGHEST = (1L << 48) - 8;

    @Test
    void word_extremes_keepTheirParts() {
        for (int generation : new int[] {0, 1, HandleWordLayout.GENERATION_MAX}) {
            for (int state = HandleWordLayout.FREE; state <= HandleWordLayout.UNPINNED; state++) {
                for (long address : new long[] {0, 8, HIGHEST}) {
                    long word = HandleWordLayout.of(generation, state, address);
                    assertThat(HandleWordLayout.generation(word)).isEqualTo(generation);
                    assertThat(HandleWordLayout.state(word)).isEqualTo(state);
                    assertThat(HandleWordLayout.address(word)).isEqualTo(address);
                    assertThat(HandleWordLayout.isFrozen(word)).isFalse();
                }
            }
        }
    }

    @Test
    void frozen_any_keepsAllElse() {
        long word = HandleWordLayout.of(9, HandleWordLayout.PINNED, HIGHEST);
        long frozen = HandleWordLayout.frozen(word);
        assertThat(HandleWordLayout.isFrozen(frozen)).isTrue();
        assertThat(HandleWordLayout.generation(frozen)).isEqualTo(9);
        assertThat(HandleWordLayout.state(frozen)).isEqualTo(HandleWordLayout.PINNED);
        assertThat(HandleWordLayout.address(frozen)).isEqualTo(HIGHEST);
        assertThat(HandleWordLayout.thawed(frozen)).isEqualTo(word);
    }

    @Test
    void isLiveOf_onlyLiveOfThatGeneration() {
        long word = HandleWordLayout.of(5, HandleWordLayout.LIVE, HIGHEST);
        assertThat(HandleWordLayout.isLiveOf(word, 5)).isTrue();
        assertThat(HandleWordLayout.isLiveOf(word, 4)).isFalse();
        assertThat(HandleWordLayout.isLiveOf(word, 5 | 1 << 16)).isFalse();
        assertThat(HandleWordLayout.isLiveOf(HandleWordLayout.frozen(word), 5)).isFalse();
        for (int state : new int[] {HandleWordLayout.FREE, HandleWordLayout.PINNED, 3}) {
            assertThat(HandleWordLayout.isLiveOf(HandleWordLayout.inState(word, state), 5))
                    .isFalse();
        }
    }

    @Test
    void names_anyStateButFree_ofThatGeneration() {
        long word = HandleWordLayout.of(5, HandleWordLayout.UNPINNED, 64);
        assertThat(HandleWordLayout.names(word, 5)).isTrue();
        assertThat(HandleWordLayout.names(word, 6)).isFalse();
        assertThat(HandleWordLayout.names(HandleWordLayout.free(5), 5)).isFalse();
    }

    @Test
    void isReusable_lastGeneration_isNot() {
        assertThat(HandleWordLayout.isReusable(HandleWordLayout.free(0))).isTrue();
        assertThat(
                        HandleWordLayout.isReusable(
                                HandleWordLayout.free(HandleWordLayout.GENERATION_MAX)))
                .isFalse();
        assertThat(HandleWordLayout.isReusable(HandleWordLayout.frozen(HandleWordLayout.free(1))))
                .isFalse();
        assertThat(HandleWordLayout.isReusable(HandleWordLayout.of(1, HandleWordLayout.LIVE, 8)))
                .isFalse();
    }

    @Test
    void describe_saysAllParts() {
        long word = HandleWordLayout.of(3, HandleWordLayout.UNPINNED, 0x1000);
        assertThat(HeapCheck.describe(HandleWordLayout.frozen(word)))
                .isEqualTo("UNPINNED frozen generation=3 at 0x1000");
    }
}
