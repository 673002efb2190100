package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A pool that stays full is a line in a minute. */
class ExhaustionLogTest {
    @Test
    void next_oftenInAMinute_isSaidOnceAndCounted() {
        ExhaustionLog log = new ExhaustionLog();
        long begin = Long.MAX_VALUE - 5; // the clock may be anywhere, and pass the end
        assertThat(log.next(begin)).isZero();
        assertThat(log.next(begin + 1)).isNegative();
        assertThat(log.next(begin + ExhaustionLog.PAUSE_NANOS - 1)).isNegative();
        assertThat(log.next(begin + ExhaustionLog.PAUSE_NANOS)).isEqualTo(2);
        assertThat(log.next(begin + 2 * ExhaustionLog.PAUSE_NANOS)).isZero();
    }
}
