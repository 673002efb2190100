package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A made-up checkout with the real launcher, a Maven that only makes a jar, and JDKs that only
 * print how they were called. The PATH holds the few tools that the launcher may use, and no Java.
 */
final class LauncherFixture {

    /** Every command the launcher runs besides Java and Maven. */
    private static final List<String> TOOLS =
            List.of(
                    "dirname",
                    "find",
                    "grep",
                    "head",
                    "ln",
                    "mkdir",
                    "readlink",
                    "rm",
                    "sed",
                    "sh",
                    "sleep",
                    "tail",
                    "tee",
                    "touch",
                    "uname");

    private static final String JAVA =
            """
            #!/bin/sh
            if [ "$1" = -XshowSettings:properties ]; then
                echo "    java.home = HOME" >&2
                exit
            fi
            echo "java of NAME"
            echo "process $$"
            echo "in $(pwd -P)"
            echo "locale ${LC_ALL-as it was}"
            for argument; do
                echo "[$argument]"
            done
            if [ -n "$FAKE_WAITS" ]; then
                trap 'exit 7' TERM
                echo >"$FAKE_ROOT/running"
                while :; do sleep 0.1; done
            fi
            exit "${FAKE_EXIT:-0}"
            """;

    private static final String MAVEN =
            """
            #!/bin/sh
            echo "JAVA_HOME=$JAVA_HOME"
            echo build >>"$FAKE_ROOT/builds"
            mkdir maven-runs || exit 1
            if [ -n "$FAKE_MAVEN_SLEEPS" ]; then
                echo >"$FAKE_ROOT/building"
                sleep "$FAKE_MAVEN_SLEEPS"
            fi
            rm -r maven-runs
            if [ -n "$FAKE_MAVEN_EXIT" ]; then
                echo "[ERROR] no luck"
                exit "$FAKE_MAVEN_EXIT"
            fi
            if [ -n "$FAKE_MAVEN_EDITS" ]; then
                sleep 0.05
                touch "$FAKE_MAVEN_EDITS"
            fi
            while [ "$1" != -pl ]; do shift; done
            echo "$2" >>"$FAKE_ROOT/built"
            for module in $(echo "$2" | sed 's/,/ /g'); do
                mkdir -p "$module/target/launcher"
            done
            for module in lab tools agent; do mkdir -p "$module/target/launcher"; done
            echo "[INFO] BUILD SUCCESS"
            """;

    /** More than a tick of any kernel, which is 10 ms at most. */
    private static final int CLOCK_TICKS_MILLIS = 25;

    private final Path root;
    private final Map<String, String> environment = new HashMap<>();
    private Path lastOutput = Path.of("");

    /** What a run printed, and how it ended. */
    record Result(int exitCode, String output, String errors) {}

    LauncherFixture(Path root) throws IOException {
        this.root = root;
        script(root.resolve("polder"), Files.readString(Repository.root().resolve("polder")));
        for (String file :
                List.of(
                        "pom.xml",
                        "README.md",
                        "core/src/main/java/A.java",
                        "core/src/test/java/ACheck.java",
                        "core/src/test/java/ATest.java",
                        "bench/src/main/java/ABenchmark.java",
                        "agent/src/main/java/AnAgent.java",
                        "tools/src/main/java/ATool.java",
                        "lab/pom.xml",
                        "lab/src/main/resources/sizes.json")) {
            Files.createDirectories(root.resolve(file).getParent());
            Files.createFile(root.resolve(file));
        }
        Files.createDirectories(root.resolve("bin"));
        for (String tool : TOOLS) {
            String call = "#!/bin/sh\nexec " + onPath(tool) + " \"$@\"\n";
            script(root.resolve("bin").resolve(tool), call);
        }
        script(root.resolve("bin/mvn"), MAVEN);
        environment.put("PATH", root.resolve("bin").toString());
        environment.put("HOME", root.toString());
        environment.put("FAKE_ROOT", root.toString());
        environment.put("POLDER_SEARCH_PATH", "/nowhere");
    }

    private static Path onPath(String tool) {
        for (String directory : List.of("/bin", "/usr/bin", "/usr/local/bin")) {
            Path file = Path.of(directory, tool);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        // The launcher must do without it; `ps`, for one, is missing in small containers.
        return Path.of("/usr/bin", tool);
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Path path(String name) {
        return root.resolve(name);
    }

    Path jdk(String name, String version) throws IOException {
        Path home = jre(name, version);
        script(home.resolve("bin/javac"), "#!/bin/sh\n");
        return home;
    }

    Path jre(String name, String version) throws IOException {
        Path home = root.resolve(name);
        String java = JAVA.replace("NAME", name).replace("= HOME", "= " + home);
        script(home.resolve("bin/java"), java);
        Files.writeString(
                home.resolve("release"),
                "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\nMODULES=\"a b\"\n");
        return home;
    }

    /** Puts a symbolic link to the JDK's java on the PATH, as Linux distributions do. */
    void putOnPath(Path home) throws IOException {
        Files.createSymbolicLink(root.resolve("bin/java"), home.resolve("bin/java"));
    }

    /** Puts a tool on the PATH. */
    void tool(String name, String script) throws IOException {
        script(root.resolve("bin").resolve(name), "#!/bin/sh\n" + script);
    }

    /** Puts a script on the PATH that starts the JDK's java, as version managers do. */
    void wrapperOnPath(Path home) throws IOException {
        script(root.resolve("bin/java"), "#!/bin/sh\nexec \"" + home + "/bin/java\" \"$@\"\n");
    }

    void set(String variable, Object value) {
        environment.put(variable, value.toString());
    }

    void unset(String variable) {
        environment.remove(variable);
    }

    /**
     * Makes a file or directory newer than every other, and older than what comes next: the times
     * of files are only as fine as the clock tick of the kernel.
     */
    void touch(String name) throws IOException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(CLOCK_TICKS_MILLIS);
        Files.setLastModifiedTime(path(name), FileTime.from(Instant.now()));
        TimeUnit.MILLISECONDS.sleep(CLOCK_TICKS_MILLIS);
    }

    int builds() throws IOException {
        Path builds = path("builds");
        return Files.exists(builds) ? Files.readAllLines(builds).size() : 0;
    }

    /** What Maven was told to build, each time. */
    List<String> built() throws IOException {
        return Files.readAllLines(path("built"));
    }

    String log() throws IOException {
        return Files.readString(path("target/launcher/build.log"));
    }

    /** Waits until a script has left its mark. */
    void await(String mark) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
        while (!Files.exists(path(mark))) {
            assertThat(System.nanoTime()).as("no " + mark).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        return finish(start(path("polder"), root, arguments));
    }

    Result runAs(Path command, Path directory) throws IOException, InterruptedException {
        return finish(start(command, directory));
    }

    /** Runs a shell in the checkout. */
    Result shell(String script) throws IOException, InterruptedException {
        return finish(start(Path.of("/bin/sh"), root, "-c", script));
    }

    /** What the command that was started last has printed. */
    String lastOutput() throws IOException {
        return Files.readString(lastOutput);
    }

    Process start(String... arguments) throws IOException {
        return start(path("polder"), root, arguments).process();
    }

    private record Started(Process process, Path output, Path errors) {}

    private Started start(Path command, Path directory, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(command.toString()));
        line.addAll(List.of(arguments));
        Path output = Files.createTempFile(root, "run", ".out");
        Path errors = Files.createTempFile(root, "run", ".err");
        lastOutput = output;
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.redirectOutput(output.toFile());
        builder.redirectError(errors.toFile());
        return new Started(builder.start(), output, errors);
    }

    private static Result finish(Started run) throws IOException, InterruptedException {
        if (!run.process().waitFor(300, TimeUnit.SECONDS)) {
            run.process().destroyForcibly();
            throw new AssertionError("the launcher hangs: " + Files.readString(run.errors()));
        }
        return new Result(
                run.process().exitValue(),
                Files.readString(run.output()),
                Files.readString(run.errors()));
    }
}
