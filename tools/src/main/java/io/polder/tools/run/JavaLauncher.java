package io.polder.tools.run;

import io.polder.tools.attach.AgentJar;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/**
 * The {@code java} that a command names: the one on the PATH for the bare word, or a file.
 *
 * <p>The agent needs Java 25. Where the one on the PATH is older, the lab's own is taken, which the
 * launcher has found; one that was named by its path is an order, and refused.
 *
 * @param file the executable
 * @param note what the user should know of the choice; null if there is nothing
 */
record JavaLauncher(Path file, @Nullable String note) {
    private static final int NEEDED = 25;

    /** A command that cannot be run, and the exit code that a shell has for that. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        private final int exitCode;

        Refused(int exitCode, String message) {
            super(message);
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    /**
     * Finds it.
     *
     * @param word the first word of the command
     * @param environment for the PATH
     * @param labHome the JDK that the lab runs on
     * @throws Refused if it is not there, no java, or too old
     */
    static JavaLauncher find(String word, Map<String, String> environment, Path labHome)
            throws Refused {
        Path named = path(word);
        Path name = named == null ? null : named.getFileName();
        if (named == null || name == null || !name.toString().equals("java")) {
            throw new Refused(
                    RunCommand.USAGE,
                    "the command must be java: command="
                            + word
                            + ". For a script that starts java itself, put the agent into the"
                            + " environment: JDK_JAVA_OPTIONS=-javaagent:"
                            + AgentJar.find());
        }
        Path own = labHome.resolve("bin").resolve("java");
        boolean bare = word.indexOf(File.separatorChar) < 0;
        Path file = bare ? onPath(environment.getOrDefault("PATH", "")) : named;
        if (file == null) {
            return new JavaLauncher(own, "no java on the PATH; using " + own);
        }
        if (!Files.exists(file)) {
            throw new Refused(RunCommand.NOT_FOUND, "there is no " + file);
        }
        if (!Files.isExecutable(file) || Files.isDirectory(file)) {
            throw new Refused(RunCommand.NOT_EXECUTABLE, "cannot be executed: " + file);
        }
        String version = version(file);
        if (version == null || feature(version) >= NEEDED) {
            return new JavaLauncher(file, null);
        }
        if (bare) {
            return new JavaLauncher(own, file + " is Java " + version + "; using " + own);
        }
        throw new Refused(
                RunCommand.USAGE,
                "Java must be " + NEEDED + " or newer: " + file + " is " + version);
    }

    /** Null if no file can have the name: the encoding of the locale lacks a character. */
    static @Nullable Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Path onPath(String path) {
        for (String directory : path.split(File.pathSeparator, -1)) {
            Path file = path((directory.isEmpty() ? "." : directory) + File.separator + "java");
            if (file != null && Files.isExecutable(file) && !Files.isDirectory(file)) {
                return file;
            }
        }
        return null;
    }

    /** From the file {@code release} of its JDK; null if that is not to be had. */
    private static @Nullable String version(Path file) {
        try {
            Path home = file.toRealPath().resolve("../..").normalize();
            Function<String, String> value = line -> line.substring(line.indexOf('=') + 1);
            return Files.readAllLines(home.resolve("release")).stream()
                    .filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(value)
                    .map(quoted -> quoted.replace("\"", ""))
                    .findFirst()
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    /** The first number of a version; very new if there is none. */
    private static int feature(String version) {
        String digits = version.replaceFirst("[^0-9].*", "");
        return digits.isEmpty() ? Integer.MAX_VALUE : Integer.parseInt(digits);
    }
}
