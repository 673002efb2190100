package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A fresh JVM that runs one main class on this JVM's class path.
 *
 * <p>The child talks to its parent through stdout, line by line. What it writes to stderr is shown
 * only if it fails. A child never outlives its parent's normal end, Ctrl-C included: a shutdown
 * hook kills whatever is still running.
 *
 * @param mainClass what it runs
 * @param jvmArgs arguments of the JVM, before the main class; a class path among them is the one
 *     that counts
 * @param args arguments of the main class
 * @param timeout after which the child is killed
 * @param environment variables it has besides those of this JVM, or instead of them
 */
public record ChildJvm(
        Class<?> mainClass,
        List<String> jvmArgs,
        List<String> args,
        Duration timeout,
        Map<String, String> environment) {

    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> RUNNING.forEach(Process::destroyForcibly),
                                "kill-child-jvms"));
    }

    /** Copies the lists and the map. */
    public ChildJvm {
        jvmArgs = List.copyOf(jvmArgs);
        args = List.copyOf(args);
        environment = Map.copyOf(environment);
    }

    /** A JVM in the environment of this one. */
    public ChildJvm(Class<?> mainClass, List<String> jvmArgs, List<String> args, Duration timeout) {
        this(mainClass, jvmArgs, args, timeout, Map.of());
    }

    /**
     * Runs the child to its end.
     *
     * @param lines receives each line of its stdout; an {@link IllegalArgumentException} from it
     *     means that the child does not keep to what was agreed, and ends the child
     * @throws ChildJvmException if the child cannot be started, ends with another code than zero,
     *     takes too long, or writes a line that {@code lines} refuses
     * @throws InterruptedException if this thread was interrupted; the child is killed
     */
    public void run(Consumer<String> lines) throws ChildJvmException, InterruptedException {
        Process process = start();
        RUNNING.add(process);
        Tail errors = new Tail();
        AtomicBoolean late = new AtomicBoolean();
        try {
            Thread stderr = daemon("child-stderr", () -> errors.readAll(process.errorReader()));
            Thread watchdog = daemon("child-watchdog", () -> killWhenLate(process, late));
            IllegalArgumentException refused = null;
            try {
                readAll(process.inputReader(), lines);
            } catch (IllegalArgumentException e) {
                refused = e;
                process.destroyForcibly();
            } catch (IOException e) {
                // The pipe broke because the child did: its exit code says more.
                process.destroyForcibly();
            }
            int exitCode = process.waitFor();
            watchdog.join();
            stderr.join();
            if (refused != null) {
                throw failure(
                        "wrote what is not understood: " + refused.getMessage(), errors, refused);
            }
            if (late.get()) {
                throw failure("took longer than " + timeout.toSeconds() + " s", errors, null);
            }
            if (exitCode != 0) {
                throw failure("ended with exit code " + exitCode, errors, null);
            }
        } finally {
            process.destroyForcibly();
            RUNNING.remove(process);
        }
    }

    /** The command line, as it is started. */
    List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // HotSpot writes its own warnings to stdout otherwise.
        command.add("-XX:+DisplayVMOutputToStderr");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.addAll(jvmArgs);
        command.add(mainClass.getName());
        command.addAll(args);
        return command;
    }

    private Process start() throws ChildJvmException {
        try {
            ProcessBuilder builder = new ProcessBuilder(command());
            // Options from the environment would be measured along, and announced on stderr.
            builder.environment().remove("JDK_JAVA_OPTIONS");
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            return process;
        } catch (IOException e) {
            throw new ChildJvmException(
                    "The JVM for " + mainClass.getName() + " did not start: " + e.getMessage(), e);
        }
    }

    private void killWhenLate(Process process, AtomicBoolean late) {
        try {
            if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                late.set(true);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ChildJvmException failure(String what, Tail errors, @Nullable Throwable cause) {
        String stderr = errors.text();
        return new ChildJvmException(
                "The JVM for "
                        + mainClass.getName()
                        + " "
                        + String.join(" ", args)
                        + " "
                        + what
                        + (stderr.isEmpty()
                                ? "; it wrote nothing to stderr"
                                : "; its stderr:\n" + stderr),
                cause);
    }

    private static void readAll(BufferedReader reader, Consumer<String> lines) throws IOException {
        try (reader) {
            String line = reader.readLine();
            while (line != null) {
                lines.accept(line);
                line = reader.readLine();
            }
        }
    }

    private static Thread daemon(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name(name).start(work);
    }
}
