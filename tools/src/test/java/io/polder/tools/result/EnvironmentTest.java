package io.polder.tools.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.PolderProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

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

    /** As where it waits for a disk, or for a lock. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void commit_gitThatNeverEnds_isUnknown(@TempDir Path folder) throws Exception {
        Path git = Files.writeString(folder.resolve("git"), "#!/bin/sh\nexec sleep 600\n");
        Files.setPosixFilePermissions(git, PosixFilePermissions.fromString("rwx------"));
        String path = folder + File.pathSeparator + System.getenv("PATH");
        String[] words = {"scan", "--json", "jrt:/java.instrument"};
        try (PolderProcess scan = PolderProcess.start(folder, Map.of("PATH", path), words)) {
            PolderProcess.Result result = scan.finish();
            assertThat(result.exitCode()).isZero();
            assertThat(result.output()).contains("\"commit\": \"unknown\"");
        }
    }
}
