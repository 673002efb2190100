package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryUsageTest {

    @Test
    void plus_two_addsAllButTheLimits() {
        MemoryUsage one = new MemoryUsage(100, 1000, 70, 50, 500, 450, 3);
        MemoryUsage other = new MemoryUsage(100, 1000, 9, 8, 20, 12, 1);
        assertThat(one.plus(other))
                .isEqualTo(new MemoryUsage(100, 1000, 79, 58, 520, 462, 4))
                .isEqualTo(other.plus(one));
    }
}
