package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class MemoryLimitsTest {
    private static final long LEAST = MemoryLimits.LEAST_BYTES;

    @Test
    void limits_thatMakeNoSense_areRefused() {
        for (long bad : new long[] {Long.MIN_VALUE, -1, 0, 1, LEAST - 1, (1L << 47) + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new MemoryLimits(bad, LEAST))
                    .withMessageContaining("committedMaxBytes=" + bad);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new MemoryLimits(LEAST, bad))
                    .withMessageContaining("reservedMaxBytes=" + bad);
        }
    }

    @Test
    void limits_atTheEnds_areTaken() {
        assertThat(new MemoryLimits(LEAST, 1L << 47).committedMaxBytes()).isEqualTo(LEAST);
        assertThat(MemoryLimits.NONE.reservedMaxBytes()).isEqualTo(1L << 47);
    }
}
