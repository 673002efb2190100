package io.polder.tools.result;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class EnvironmentTest {
    @Test
    void detect_namesTheMachineAndTheSources() {
        Environment environment = Environment.detect(List.of("-Xmx1g"));

        assertThat(environment.toJson())
                .containsOnlyKeys(
                        "date",
                        "commit",
                        "jvm",
                        "jvm_args",
                        "cpu",
                        "cores",
                        "kernel",
                        "transparent_huge_pages");
        assertThat(environment.jvm()).contains(System.getProperty("java.vm.version"));
        assertThat(environment.jvmArgs()).containsExactly("-Xmx1g");
        assertThat(environment.cores()).isPositive();
        assertThat(environment.cpu()).isNotBlank();
        assertThat(environment.commit()).matches("[0-9a-f]{12}(\\+changes)?|unknown");
        assertThat(environment.transparentHugePages())
                .isIn("always", "madvise", "never", "unknown");
    }
}
