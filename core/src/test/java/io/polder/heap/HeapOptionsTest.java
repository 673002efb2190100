package io.polder.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeapOptionsTest {
    @Test
    void with_changesOneValue() {
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(1L << 30).withCompactionShare(0.5);
        assertThat(options).isEqualTo(new HeapOptions(1L << 30, 0.5, EvacuationFailurePolicy.PIN));
        assertThat(options.evacuationFailure()).isEqualTo(EvacuationFailurePolicy.PIN);
        HeapOptions closing = options.withEvacuationFailure(EvacuationFailurePolicy.CLOSE);
        assertThat(closing)
                .isEqualTo(new HeapOptions(1L << 30, 0.5, EvacuationFailurePolicy.CLOSE));
        assertThat(closing.withMaxBytes(2L << 30).withCompactionShare(0.25).evacuationFailure())
                .isEqualTo(EvacuationFailurePolicy.CLOSE);
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
