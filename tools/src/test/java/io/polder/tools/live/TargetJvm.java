package io.polder.tools.live;

import io.polder.tools.PolderProcess;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A JVM of its own that runs {@link LiveTarget}. */
final class TargetJvm implements AutoCloseable {
    private final Process process;
    private final Path errors;
    private final BufferedReader out;

    private TargetJvm(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        this.out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static TargetJvm start(String... pools) throws IOException {
        return start(List.of(), pools);
    }

    static TargetJvm start(List<String> flags, String... pools) throws IOException {
        return start(Map.of(), flags, pools);
    }

    static TargetJvm start(Map<String, String> environment, List<String> flags, String... pools)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(LiveTarget.class.getName());
        command.addAll(List.of(pools));
        Path errors = Files.createTempFile("target", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        TargetJvm target = new TargetJvm(builder.start(), errors);
        String line = PolderProcess.line(target.process, target.out);
        if (line == null || !line.startsWith("ready")) {
            String why = target.errors();
            target.end();
            throw new AssertionError("the target did not start: " + line + "\n" + why);
        }
        return target;
    }

    String pid() {
        return Long.toString(process.pid());
    }

    /** What it has written to standard error. */
    String errors() throws IOException {
        return Files.readString(errors);
    }

    /** Makes it leak, once, what its arguments say; returns when it did. */
    void go() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        String line = PolderProcess.line(process, out);
        if (!"gone".equals(line)) {
            throw new AssertionError("the target did not go on: " + line + "\n" + errors());
        }
    }

    /** Sends it a signal. */
    void signal(String name) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, pid()).inheritIO().start().waitFor();
            if (code != 0) {
                throw new AssertionError("kill -" + name + " failed: code=" + code);
            }
            while (name.equals("STOP") && !isStopped()) { // it takes effect a little later
                Thread.sleep(1);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isStopped() throws IOException {
        String line = Files.readString(Path.of("/proc", pid(), "stat"));
        return line.startsWith("T", line.lastIndexOf(')') + 2);
    }

    @Override
    public void close() {
        end();
    }

    /** Ends it at once; again does nothing. */
    void end() {
        process.destroyForcibly();
        try {
            int _ = process.waitFor();
            Files.deleteIfExists(errors);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
