package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class PoolSettingsTest {
    /** One that nothing else reads. */
    private static final String PROPERTY = "polder.test.word";

    private final List<String> complaints = new ArrayList<>();

    @Test
    void word_anything_isAWordOrAComplaint() {
        assertThat(word(null)).isEqualTo("off");
        assertThat(word("off")).isEqualTo("off");
        assertThat(word(" Sampled ")).isEqualTo("sampled");
        assertThat(word("ALL")).isEqualTo("all");
        assertThat(complaints).isEmpty();
        assertThat(word("paranoid")).isEqualTo("off");
        assertThat(complaints)
                .containsExactly(
                        PROPERTY + " must be one of off, sampled, all: value=paranoid; using off");
    }

    private String word(@Nullable String value) {
        if (value != null) {
            System.setProperty(PROPERTY, value);
        }
        try {
            return PoolSettings.word(PROPERTY, complaints, "off", "sampled", "all");
        } finally {
            System.clearProperty(PROPERTY);
        }
    }

    @Test
    void leaks_propertyIsNotSet_areOff() {
        assertThat(LeakDetection.read(complaints)).isEqualTo(LeakDetection.OFF);
        assertThat(complaints).isEmpty();
    }
}
