package io.polder.tools.attach;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;

import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.terminal.Printable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A JVM that runs, and that this one is attached to. */
final class Target implements AutoCloseable {
    private static final int JAVA_NEEDED = 25;
    private static final String NO_AGENTS = "-XX:-EnableDynamicAgentLoading";

    /** Where a line of the list of JVMs ends. */
    private static final int NAME_MAX = 80;

    /** The system property by which the agent says why it refuses; behind it stand the options. */
    private static final String REFUSAL = "polder.agent.refusal.";

    private final long pid;
    private final Patience patience;
    private final VirtualMachine machine;
    private final Properties properties;

    private Target(Patience patience, VirtualMachine machine, Properties properties) {
        this.pid = patience.pid();
        this.patience = patience;
        this.machine = machine;
        this.properties = properties;
    }

    /**
     * Attaches, to a JVM of this user only: another user chooses where its JVM lets root write.
     *
     * @throws AttachException if that cannot be; it says why
     */
    static Target attach(Patience patience) throws AttachException {
        long pid = patience.pid();
        VirtualMachine machine = JvmProcess.attach(patience, false, NO_AGENTS);
        try {
            Properties properties = patience.askOver(machine::getSystemProperties);
            Target target = new Target(patience, machine, properties);
            target.checkVersion();
            return target;
        } catch (IOException e) {
            throw JvmProcess.gone(pid)
                    ? JvmProcess.ended(pid, e)
                    : new AttachException(
                            Problem.REFUSED, "process " + pid + " refuses: " + e.getMessage(), e);
        }
    }

    private void checkVersion() throws AttachException {
        String version = properties.getProperty("java.specification.version", "0");
        int feature = version.startsWith("1.") ? 8 : Integer.parseInt(version);
        if (feature < JAVA_NEEDED) {
            close();
            throw new AttachException(
                    Problem.TOO_OLD,
                    "Java must be "
                            + JAVA_NEEDED
                            + " or newer: process "
                            + pid
                            + " has "
                            + version);
        }
    }

    /** A list of JVMs to choose from, to be appended to a message. */
    static String running() {
        List<String> lines = new ArrayList<>();
        String own = Long.toString(ProcessHandle.current().pid());
        for (VirtualMachineDescriptor jvm : VirtualMachine.list()) {
            if (!jvm.id().equals(own)) {
                String name = jvm.displayName();
                String shown = name.substring(0, Math.min(NAME_MAX, name.length()));
                lines.add(String.format("%n  %7s  %s", jvm.id(), Printable.of(shown)));
            }
        }
        return lines.isEmpty()
                ? ". No JVM of yours runs here."
                : ". JVMs that run:" + String.join("", lines);
    }

    long pid() {
        return pid;
    }

    /**
     * The directory for temporary files there, as that process sees it.
     *
     * @throws IOException if its name cannot be had, or means nothing here
     */
    Path temporaryDirectory() throws IOException {
        String name = properties.getProperty("java.io.tmpdir", "/tmp");
        try {
            Path directory = Path.of(name);
            return directory.isAbsolute()
                    ? directory
                    : workingDirectory().resolve(directory).normalize();
        } catch (InvalidPathException e) {
            throw new IOException("no file can have this name here: " + Printable.of(name), e);
        }
    }

    private Path workingDirectory() throws IOException {
        Path proc = Path.of("/proc", Long.toString(pid));
        return Files.isDirectory(proc)
                ? Files.readSymbolicLink(proc.resolve("cwd"))
                : Path.of(properties.getProperty("user.dir", "/")).toAbsolutePath();
    }

    boolean ended() {
        return JvmProcess.gone(pid);
    }

    /**
     * Starts the agent there. Others may do so at the same time.
     *
     * @param jar its jar, as that process sees it
     * @param options such as nobody else gives
     * @throws AttachException if the JVM or the agent refuses
     */
    void loadAgent(Path jar, String options) throws AttachException {
        try {
            String refusal =
                    patience.ask(
                            () -> {
                                machine.loadAgent(jar.toString(), options);
                                return machine.getSystemProperties()
                                        .getProperty(REFUSAL + options, "");
                            });
            if (!refusal.isEmpty()) {
                throw new AttachException(
                        Problem.REFUSED,
                        "the agent in process " + pid + " refuses: " + Printable.of(refusal));
            }
        } catch (AgentInitializationException e) {
            throw new AttachException(
                    Problem.REFUSED,
                    "the agent in process "
                            + pid
                            + " could not be started. Its standard error says why",
                    e);
        } catch (AgentLoadException e) {
            throw notLoaded(jar, e);
        } catch (AttachException | RuntimeException expected) {
            throw expected;
        } catch (Exception e) {
            throw new AttachException(
                    ended() ? Problem.GONE : Problem.REFUSED,
                    "process " + pid + (ended() ? " ended meanwhile" : " broke off: " + e),
                    e);
        }
    }

    /** A flag forbids it, a module is not there, or the jar cannot be read there. */
    private AttachException notLoaded(Path jar, AgentLoadException e) {
        String message = Printable.of(String.valueOf(e.getMessage()));
        if (message.contains("Module java.instrument not found")) {
            return new AttachException(
                    Problem.REFUSED,
                    "process "
                            + pid
                            + " cannot use the agent: its runtime lacks module java.instrument",
                    e);
        }
        return message.contains("not enabled")
                ? new AttachException(
                        Problem.DISABLED, "process " + pid + " takes no agent: " + message, e)
                : new AttachException(
                        Problem.REFUSED,
                        "process "
                                + pid
                                + " cannot use the agent: "
                                + message
                                + ". It must be able to read "
                                + jar,
                        e);
    }

    @Override
    public void close() {
        try {
            machine.detach();
        } catch (IOException e) {
            // There is nothing left to end.
        }
    }
}
