package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

class PoolUnderTestTest {
    /** Or it would change what is used while that is looked at. */
    @Test
    void nothingHappensByItself() {
        PoolUnderTest under = new PoolUnderTest(16 * PoolUnderTest.MIB, LeakDetection.OFF);
        try (Arena arena = under.pool.openSharedDeferred()) {
            MemorySegment _ = arena.allocate(1);
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("polder-closing");
        assertThat(under.pool.stats().arenas().deferredGroups()).isOne();
        assertThat(under.tickClosing()).isFalse();
        assertThat(under.pool.stats().arenas().deferredGroups()).isZero();
        under.requireAllComesBack();
    }
}
