package io.polder.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeapOptionsTest {
    @Test
    void with_changesOneValue() {
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(1L << 30).withCompactionShare(0.5);
        check(options, 1L << 30, 0.5, EvacuationFailurePolicy.PIN);
        HeapOptions closing = options.withEvacuationFailure(EvacuationFailurePolicy.CLOSE);
        check(closing, 1L << 30, 0.5, EvacuationFailurePolicy.CLOSE);
        check(
                closing.withMaxBytes(2L << 30).withCompactionShare(0.25),
                2L << 30,
                0.25,
                EvacuationFailurePolicy.CLOSE);
        check(options, 1L << 30, 0.5, EvacuationFailurePolicy.PIN);
    }

    private static void check(
            HeapOptions options, long bytes, double share, EvacuationFailurePolicy policy) {
        assertThat(options.maxBytes()).isEqualTo(bytes);
        assertThat(options.compactionShare()).isEqualTo(share);
        assertThat(options.evacuationFailure()).isEqualTo(policy);
    }

    @Test
    void maxBytes_tooSmall_namesTheRule() {
        assertThatThrownBy(() -> HeapOptions.DEFAULT.withMaxBytes(HeapOptions.MAX_BYTES_MIN - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("8388608 <= maxBytes: maxBytes=8388607");
    }

    @Test
    void compactionShare_outOfRange_namesTheRule() {
        for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> HeapOptions.DEFAULT.withCompactionShare(share))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("0 <= compactionShare <= 1: compactionShare=" + share);
        }
    }
}
