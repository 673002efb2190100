package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The self-test of the fence ends where two threads hardly ever, or never, run at one time. */
@EnabledOnOs(OS.LINUX)
class FenceTrialTest {
    private static final String FOUND_GOOD =
            "(?s).*asymmetric fence: tested [0-9]+ times in [0-9]+ runs, bad 0.*";

    @BeforeEach
    void thereIsOne() {
        ProcessFence process = ProcessFence.ofThisProcess();
        assumeTrue(process.isAvailable(), process.reason());
    }

    @Test
    void trial_oneProcessor_ends() throws Exception {
        assumeTrue(run(List.of("taskset", "-c", "0", "true")).endsWith("exit=0"), "no taskset");
        String out = run(command(List.of("taskset", "-c", "0"), List.of(), 0));
        assertThat(out).contains("1 processors").matches(FOUND_GOOD).endsWith("exit=0");
    }

    /** As where a container has a quota: the JVM believes in one, threads run on several. */
    @Test
    void trial_oneProcessorAsTheJvmSees_ends() throws Exception {
        String out = run(command(List.of(), List.of("-XX:ActiveProcessorCount=1"), 0));
        assertThat(out).contains("1 processors").matches(FOUND_GOOD).endsWith("exit=0");
    }

    @Test
    @Tag("full")
    void trial_manyThreadsForEachProcessor_ends() throws Exception {
        int threads = 4 * Runtime.getRuntime().availableProcessors();
        String out = run(command(List.of(), List.of(), threads));
        assertThat(out).matches(FOUND_GOOD).endsWith("exit=0");
    }

    private static List<String> command(List<String> before, List<String> flags, int threads) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-XX:+UseSerialGC");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(ChildJvm.coreClasses() + File.pathSeparator + ChildJvm.testClasses());
        command.add(FenceTrialProbe.class.getName());
        command.add(String.valueOf(threads));
        return command;
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("polder", ".out");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.endsWith("JAVA_OPTIONS"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process;
        try {
            process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        } catch (IOException noSuchCommand) {
            Files.delete(output);
            return noSuchCommand.toString();
        }
        assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(output);
        Files.delete(output);
        return text + "exit=" + process.exitValue();
    }
}
