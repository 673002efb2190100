package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageTest {
    @Test
    void of_facts_standInTheirPlaces() {
        assertThat(Message.of("a % must be %: size=%%", "rule", true, 5, ", more=0%"))
                .isEqualTo("a rule must be true: size=5, more=0%");
        assertThat(Message.of("nothing is known")).isEqualTo("nothing is known");
    }

    @Test
    void of_longBehind0x_isHexadecimal() {
        assertThat(Message.of("from 0x% to 0x%, bytes=%", 255L, -1L, 255L))
                .isEqualTo("from 0xff to 0xffffffffffffffff, bytes=255");
        assertThat(Message.of("0x%%", 16L, 16L)).isEqualTo("0x1016");
    }
}
