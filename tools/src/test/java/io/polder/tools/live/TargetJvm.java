package io.polder.tools.live;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own that runs {@link LiveTarget}. */
final class TargetJvm implements AutoCloseable {
    private final Process process;

    private TargetJvm(Process process) {
        this.process = process;
    }

    static TargetJvm start(String... pools) throws IOException {
        return start(List.of(), pools);
    }

    static TargetJvm start(List<String> flags, String... pools) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Xmx64m");
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(LiveTarget.class.getName());
        command.addAll(List.of(pools));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.start();
        TargetJvm target = new TargetJvm(process);
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null || !line.startsWith("ready")) {
            target.end();
            throw new AssertionError("the target did not start: " + line);
        }
        return target;
    }

    String pid() {
        return Long.toString(process.pid());
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
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }
}
