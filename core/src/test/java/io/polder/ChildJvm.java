package io.polder;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Runs the JDK of this test in a process of its own, with nothing inherited that prints. */
final class ChildJvm {
    /**
     * What a process left.
     *
     * @param exitCode 0 if all went well
     * @param out its standard output
     * @param err its standard error
     */
    record Result(int exitCode, String out, String err) {}

    /** Of programs on the class path that use native memory without a warning. */
    static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    /** Far longer than any of them takes. */
    private static final long TIMEOUT_SECONDS = 540;

    private ChildJvm() {}

    /** The compiled classes of the core. */
    static Path coreClasses() {
        return root(MemoryPool.class);
    }

    /** The compiled tests. */
    static Path testClasses() {
        return root(ChildJvm.class);
    }

    /** The directory of the checkout: the nearest one above that has a licence. */
    static Path repository() {
        Path directory = coreClasses();
        while (!Files.exists(directory.resolve("LICENSE"))) {
            directory = Objects.requireNonNull(directory.getParent(), "no checkout");
        }
        return directory;
    }

    /** The compiled classes and tests, as a class path. */
    static String classPath() {
        return coreClasses() + File.pathSeparator + testClasses();
    }

    /** Runs a program of the tests, which are on the class path, until it ends. */
    static Result program(List<String> flags, Class<?> program, String... arguments) {
        List<String> all = new ArrayList<>(flags);
        all.addAll(List.of("-cp", classPath(), program.getName()));
        all.addAll(List.of(arguments));
        return java(all);
    }

    /** Runs {@code java} with these arguments until it ends. */
    static Result java(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        try {
            Path out = Files.createTempFile("polder", ".out");
            Path err = Files.createTempFile("polder", ".err");
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile());
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            builder.environment().remove("JDK_JAVA_OPTIONS");
            builder.environment().remove("_JAVA_OPTIONS");
            Process process = builder.start();
            try {
                await(process, command, out);
            } finally {
                process.destroyForcibly();
            }
            Result result = new Result(process.exitValue(), text(out), text(err));
            Files.delete(out);
            Files.delete(err);
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }

    /** One that does not end says what its threads do. */
    private static void await(Process process, List<String> command, Path out)
            throws IOException, InterruptedException {
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            new ProcessBuilder("kill", "-QUIT", String.valueOf(process.pid())).start();
            boolean _ = process.waitFor(10, TimeUnit.SECONDS);
            throw new AssertionError("does not end: " + command + "\n" + text(out));
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    /** Where a class file lies; the module's location would not do for patched-in tests. */
    private static Path root(Class<?> type) {
        String name = type.getName().replace('.', '/') + ".class";
        Path file =
                Path.of(
                        URI.create(
                                Objects.requireNonNull(
                                                type.getResource("/" + name), "no class file")
                                        .toString()));
        Path root = file;
        for (int i = name.split("/", -1).length; i > 0; i--) {
            root = Objects.requireNonNull(root.getParent());
        }
        return root;
    }
}
