package io.polder.agent.census;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CensusJsonTest {
    @Test
    void quoted_anyText_isAscii() {
        assertThat(CensusJson.quoted("a\"\\\n~\u007f\u00f6\u65e5\ud83d\udc18\ud800"))
                .isEqualTo("\"a\\\"\\\\\\u000a~\\u007f\\u00f6\\u65e5\\ud83d\\udc18\\ud800\"");
    }
}
