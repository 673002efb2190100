package io.polder.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The polder command in a process of its own, as the launcher starts it. */
public final class PolderProcess implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 300;

    private final Process process;
    private final Path output;
    private final Path errors;

    /** How it ended. */
    public record Result(int exitCode, String output, String errors) {}

    private PolderProcess(Process process, Path output, Path errors) {
        this.process = process;
        this.output = output;
        this.errors = errors;
    }

    /** Starts the command. */
    public static PolderProcess start(Path folder, Map<String, String> environment, String... words)
            throws IOException {
        List<String> command = command();
        command.addAll(List.of(words));
        return start(folder, environment, command);
    }

    /** The command without its words. */
    public static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(java().toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Dsun.tools.attach.attachTimeout=120000"); // as these tests have it
        command.add("-Dpolder.agent.jar=" + System.getProperty("polder.agent.jar"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("io.polder.tools.Main");
        return command;
    }

    private static PolderProcess start(
            Path folder, Map<String, String> environment, List<String> command) throws IOException {
        Path output = Files.createTempFile(folder, "polder", ".out");
        Path errors = Files.createTempFile(folder, "polder", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().remove("JDK_JAVA_OPTIONS");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile());
        return new PolderProcess(builder.start(), output, errors);
    }

    /** The java of this JVM. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** The next line of a process, which is ended if none comes; null if it has ended. */
    public static @Nullable String line(Process process, BufferedReader out) throws IOException {
        CompletableFuture<Void> late =
                CompletableFuture.runAsync(
                        process::destroyForcibly,
                        CompletableFuture.delayedExecutor(DEADLINE_SECONDS, TimeUnit.SECONDS));
        try {
            return out.readLine();
        } finally {
            late.cancel(false);
        }
    }

    /** Its process. */
    public Process process() {
        return process;
    }

    /** Its standard input. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /** Waits until it has written this. */
    public void await(String text) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!Files.readString(output).contains(text)) {
            assertThat(System.nanoTime())
                    .as("no '%s'; errors:%n%s", text, Files.readString(errors))
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Waits for its end. */
    public Result finish() throws IOException, InterruptedException {
        assertThat(process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS))
                .as("ends; errors:%n%s", Files.readString(errors))
                .isTrue();
        return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
