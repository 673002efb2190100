package io.polder.arrow.pickup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The JDK of this test in a process of its own. */
final class JavaProcess {
    /** What a program needs for all that is tried here: to pass, warnings aside. */
    static final List<String> ALL_FLAGS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--add-opens=java.base/java.nio=ALL-UNNAMED");

    private static final long DEADLINE_SECONDS = 300;

    /**
     * What a process left.
     *
     * @param exitCode 0 if all went well
     * @param out its standard output
     * @param err its standard error
     */
    record Result(int exitCode, String out, String err) {}

    private JavaProcess() {}

    /** Runs {@code java} until it ends. */
    static Result run(
            Path folder, List<String> flags, ClassPath classPath, List<String> mainAndArguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(classPath.toString());
        command.addAll(mainAndArguments);
        Path out = Files.createTempFile(folder, "java", ".out");
        Path err = Files.createTempFile(folder, "java", ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        for (String variable :
                List.of(
                        "JAVA_TOOL_OPTIONS",
                        "JDK_JAVA_OPTIONS",
                        "_JAVA_OPTIONS",
                        "ARROW_ALLOCATION_MANAGER_TYPE")) {
            builder.environment().remove(variable);
        }
        Process process = builder.start();
        try {
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "not ended after " + DEADLINE_SECONDS + " s: " + Files.readString(err));
            }
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
