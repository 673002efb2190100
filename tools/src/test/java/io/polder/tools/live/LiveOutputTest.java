package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.PolderProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What commands find of a running JVM, and cannot write: an error with one exit code. */
@EnabledOnOs(OS.LINUX) // has a device that is always full
@Tag("full")
class LiveOutputTest {
    private static final int UNWRITTEN = 5;

    private static TargetJvm target;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws IOException {
        target = TargetJvm.start("alpha");
        LiveCommandsTest.awaitPools(target, 2);
    }

    @AfterAll
    static void stop() {
        target.end();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "report",
                "report --json",
                "map",
                "map --help",
                "top --once",
                "top -n 2 --interval=0.1",
                "top -n 2 --interval=0.1 --json",
                "leaks",
                "baseline",
                "census --seconds=1",
                "census --seconds=1 --json"
            })
    void standardOutput_full_isAnError(String words) throws Exception {
        List<String> command = PolderProcess.command();
        command.addAll(List.of(words.split(" ")));
        command.add(target.pid());
        if (words.equals("baseline")) {
            command.add("--file=" + folder.resolve("base.json"));
        }
        Path errors = folder.resolve("errors");
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(new File("/dev/full"))
                        .redirectError(errors.toFile())
                        .start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(errors, StandardCharsets.UTF_8))
                .endsWith("polder: standard output could not be written\n");
        assertThat(process.exitValue()).isEqualTo(UNWRITTEN);
    }

    /** As on a disk that is full: the name is said, and what was there stays, alone. */
    @ParameterizedTest
    @ValueSource(strings = {"report --json=", "report --html=", "top --once --json="})
    void file_thatTakesNoBytes_isNamedAndStaysAsItWas(String words) throws Exception {
        Path file = Files.writeString(folder.resolve("there"), "as it was");
        List<String> command = new ArrayList<>();
        command.addAll(List.of("sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\""));
        command.addAll(PolderProcess.command());
        command.add(4, "-XX:-UsePerfData"); // a file as well
        command.addAll(List.of((words + file).split(" ")));
        command.add(target.pid());
        Process process = new ProcessBuilder(command).start();
        byte[] errors = process.getErrorStream().readAllBytes();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(errors, StandardCharsets.UTF_8))
                .startsWith("polder: " + file + " could not be written: ")
                .hasLineCount(1);
        assertThat(process.exitValue()).isEqualTo(UNWRITTEN);
        assertThat(file).hasContent("as it was");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
