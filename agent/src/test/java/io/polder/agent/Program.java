package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A program in source, compiled into a directory and run in a JVM of its own. */
final class Program {
    /** The jar under test. */
    static final Path AGENT = Path.of(System.getProperty("polder.agent.jar", "")).toAbsolutePath();

    /** The library, for programs that have it themselves. */
    static final Path LIBRARY = Path.of("../core/target/classes").toAbsolutePath().normalize();

    private static final long TIMEOUT_SECONDS = 300;

    /** Something is set about arenas: so the first one is on the pool, and its class tells. */
    private static final String POOLED_FROM_THE_FIRST = "-Dpolder.leaks=off";

    private final Path directory;
    private boolean bootstrapArenas;

    /** How a run ended. */
    record Result(int exitCode, String output, String errors) {
        Result succeeds() {
            assertThat(exitCode).as("exit code; errors:%n%s", errors).isZero();
            return this;
        }

        List<String> lines() {
            return output.lines().toList();
        }
    }

    Program(Path directory) {
        this.directory = directory;
    }

    /** From now on the first arenas are what they are where nothing is set about them. */
    Program withBootstrapArenas() {
        bootstrapArenas = true;
        return this;
    }

    /** Compiles classes, or a module that needs no other. */
    static void compile(Path folder, Path classPath, String... sources) throws IOException {
        compile(folder, "-cp", classPath, sources);
    }

    /** Compiles a module that needs the library. */
    static void compileModule(Path folder, String... sources) throws IOException {
        compile(folder, "-p", LIBRARY, sources);
    }

    private static void compile(Path folder, String option, Path path, String... sources)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-d", folder.toString(), "-g"));
        arguments.addAll(List.of(option, path.toString(), "-Xlint:none"));
        Path sourceFolder = Files.createTempDirectory(folder.toAbsolutePath().getParent(), "src");
        for (String source : sources) {
            boolean module = source.strip().startsWith("module");
            String name = module ? "module-info" : typeName(source);
            Path file = sourceFolder.resolve(name + ".java");
            Files.writeString(file, source);
            arguments.add(file.toString());
        }
        assertThat(compile(arguments)).as("compiles").isZero();
    }

    /** With the compiler of this JVM, or with what {@code polder.javac} names. */
    private static int compile(List<String> arguments) throws IOException {
        String javac = System.getProperty("polder.javac");
        if (javac == null) {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            return compiler.run(null, null, null, arguments.toArray(String[]::new));
        }
        List<String> command = new ArrayList<>(List.of(javac));
        command.addAll(arguments);
        return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
    }

    private static String typeName(String source) {
        String after = source.substring(source.indexOf("public class ") + 13);
        return after.substring(0, after.indexOf(' '));
    }

    Result run(String options, String... arguments) throws IOException, InterruptedException {
        return run(List.of(), options, arguments);
    }

    /** Runs it to its end with the agent. */
    Result run(List<String> jvmArguments, String options, String... arguments)
            throws IOException, InterruptedException {
        return finish(start(jvmArguments, options, arguments));
    }

    /** A run that was started. */
    record Started(Process process, Path output, Path errors) {}

    /** Starts it with the agent; without if options are {@code none}. */
    Started start(List<String> jvmArguments, String options, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (!options.equals("none")) {
            command.add("-javaagent:" + AGENT + (options.isEmpty() ? "" : "=" + options));
        }
        command.add("-Xshare:auto");
        command.add("-XX:TieredStopAtLevel=1");
        if (!bootstrapArenas) {
            command.add(POOLED_FROM_THE_FIRST);
        }
        command.addAll(jvmArguments);
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "run", ".out");
        Path errors = Files.createTempFile(directory, "run", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().remove("JDK_JAVA_OPTIONS");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.redirectOutput(output.toFile()).redirectError(errors.toFile());
        return new Started(builder.start(), output, errors);
    }

    static Result finish(Started run) throws IOException, InterruptedException {
        if (!run.process().waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            run.process().destroyForcibly();
            throw new AssertionError("hangs: " + Files.readString(run.errors()));
        }
        return new Result(
                run.process().exitValue(),
                Files.readString(run.output()),
                Files.readString(run.errors()));
    }

    /** Paths as one class path. */
    static String path(Path... paths) {
        return String.join(File.pathSeparator, Stream.of(paths).map(Path::toString).toList());
    }
}
