package io.polder.lab.live;

import com.sun.tools.attach.VirtualMachine;

import io.polder.lab.live.LiveException.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** What is known of a process before anybody attaches, which may disturb what is no JVM. */
final class Processes {
    private static final String NO_ATTACH = "-XX:+DisableAttachMechanism";

    private Processes() {}

    /**
     * Checks that a process is there, is a JVM, and this user's.
     *
     * @throws LiveException if not; says which
     */
    static void check(long pid) throws LiveException {
        ProcessHandle process =
                ProcessHandle.of(pid)
                        .orElseThrow(
                                () ->
                                        new LiveException(
                                                Reason.NO_PROCESS,
                                                "There is no process " + pid + "."));
        if (process.equals(ProcessHandle.current())) {
            throw new LiveException(
                    Reason.NO_POOL, "Process " + pid + " is this command itself; name another.");
        }
        Boolean jvm = isJvm(pid);
        if (jvm == null) {
            throw anothers(pid, process);
        }
        if (!jvm) {
            throw new LiveException(
                    Reason.NOT_A_JVM,
                    "Process " + pid + " is not a Java virtual machine" + command(process) + ".");
        }
    }

    /** Whether a JVM was started so that nobody can attach; false if that is not to be known. */
    static boolean letsNobodyAttach(long pid) {
        try {
            Path file = Path.of("/proc", Long.toString(pid), "cmdline");
            String line = Files.readString(file, StandardCharsets.ISO_8859_1);
            return Arrays.asList(line.split("\0", -1)).contains(NO_ATTACH);
        } catch (IOException unknown) {
            return false;
        }
    }

    /** The name of the program, in brackets; nothing if it cannot be found out. */
    private static String command(ProcessHandle process) {
        Optional<Path> command = process.info().command().map(Path::of);
        return command.map(path -> " (" + Printable.line(path.toString()) + ")").orElse("");
    }

    private static LiveException anothers(long pid, ProcessHandle process) {
        String owner = process.info().user().orElse("another user");
        return new LiveException(
                Reason.OTHER_USER,
                "Process "
                        + pid
                        + " belongs to "
                        + Printable.line(owner)
                        + ", and cannot be looked at. Run this command as that user.");
    }

    /** Whether a process is a JVM; null if the system does not tell this user. */
    private static @Nullable Boolean isJvm(long pid) {
        Path maps = Path.of("/proc", Long.toString(pid), "maps");
        if (!Files.exists(Path.of("/proc/self/maps"))) {
            return VirtualMachine.list().stream()
                    .anyMatch(jvm -> jvm.id().equals(Long.toString(pid)));
        }
        try {
            // File names may be any bytes.
            return Files.readString(maps, StandardCharsets.ISO_8859_1).contains("/libjvm.so");
        } catch (IOException denied) {
            return null;
        }
    }
}
