package io.polder.tools.attach;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

import io.polder.tools.attach.AttachException.Problem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that may be a JVM, as it is seen from outside.
 *
 * <p>To attach means to send the process a signal that ends what is no JVM. So before that it is
 * looked at, where the kernel lets us ({@code /proc}): whose it is, whether it has a JVM inside,
 * and whether that was told not to answer.
 */
public final class JvmProcess {
    private static final String NO_ATTACH = "-XX:+DisableAttachMechanism";
    private static final Path SELF = Path.of("/proc/self");

    /** How many milliseconds the JDK waits for a JVM to let it attach; 10 s if not set. */
    private static final String PATIENCE_OF_JDK = "sun.tools.attach.attachTimeout";

    /** States of a process, as {@code proc_pid_stat(5)} has them. */
    private static final String STOPPED = "Tt";

    private static final String ENDED = "ZX";
    private static final char UNKNOWN = '?';

    private JvmProcess() {}

    /**
     * Attaches. What is stopped is not even tried: it would get a signal, and do later what nobody
     * waits for any more.
     *
     * @param rootMay whether root may do so whosesoever the process is
     * @param refusals options of the JVM with which it is of no use to attach
     * @throws AttachException if that cannot be; it says why
     */
    public static VirtualMachine attach(Patience patience, boolean rootMay, String... refusals)
            throws AttachException {
        long pid = patience.pid();
        List<String> options = new ArrayList<>(List.of(refusals));
        options.add(NO_ATTACH);
        look(pid, rootMay, options);
        if (isStopped(pid)) {
            throw new AttachException(Problem.SILENT, Patience.stopped(pid));
        }
        // Longer than this command waits, which says why it gives up.
        System.setProperty(PATIENCE_OF_JDK, Long.toString(2000L * patience.seconds()));
        try {
            return patience.ask(() -> VirtualMachine.attach(Long.toString(pid)));
        } catch (AttachException e) {
            throw e.problem() == Problem.SILENT && cannotListen(pid) ? deaf(pid, e) : e;
        } catch (RuntimeException expected) {
            throw expected;
        } catch (Exception e) {
            if (gone(pid)) {
                throw ended(pid, e);
            }
            if (cannotListen(pid)) {
                throw deaf(pid, e);
            }
            throw new AttachException(
                    isForbidden(e) ? Problem.DISABLED : Problem.REFUSED,
                    "process "
                            + pid
                            + " does not let this command attach; it may have been told to let"
                            + " nobody do so: "
                            + e.getMessage(),
                    e);
        }
    }

    /** An option forbids it that stands in a file; then the JVM was sent no signal. */
    private static boolean isForbidden(Exception e) {
        return e instanceof AttachNotSupportedException
                && String.valueOf(e.getMessage()).contains("does not support the attach mechanism");
    }

    /** A JVM makes its socket in this directory, whatever its directory for temporary files is. */
    private static boolean cannotListen(long pid) {
        Path directory = Path.of("/proc", Long.toString(pid), "root/tmp");
        return Files.isDirectory(SELF) && !Files.isWritable(directory);
    }

    private static AttachException deaf(long pid, Exception cause) {
        return new AttachException(
                Problem.REFUSED,
                "process " + pid + " cannot let anybody attach: nothing can be written to its /tmp",
                cause);
    }

    /** A list of JVMs to choose from, to be appended to a message. */
    public static String running() {
        return Target.running();
    }

    /** Whether the process has ended, even if its parent has not taken its exit code yet. */
    public static boolean gone(long pid) {
        return !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)
                || ENDED.indexOf(state(pid)) >= 0;
    }

    /** Whether the process is stopped, by a signal or by who traces it; no if that is not told. */
    static boolean isStopped(long pid) {
        return STOPPED.indexOf(state(pid)) >= 0;
    }

    /** The letter by which the kernel tells its state; {@link #UNKNOWN} if it is not told. */
    private static char state(long pid) {
        try {
            // File names may be any bytes, and hold parentheses.
            String line =
                    Files.readString(
                            Path.of("/proc", Long.toString(pid), "stat"),
                            StandardCharsets.ISO_8859_1);
            int state = line.lastIndexOf(')') + 2;
            return state < line.length() ? line.charAt(state) : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** Says that the process has ended while it was looked into, or what the cause says instead. */
    public static AttachException ended(long pid, Exception cause) {
        if (cause.getCause() instanceof AttachException known) {
            return known;
        }
        return new AttachException(Problem.GONE, "process " + pid + " ended meanwhile", cause);
    }

    private static void look(long pid, boolean rootMay, List<String> refusals)
            throws AttachException {
        if (gone(pid)) {
            throw new AttachException(
                    Problem.NO_PROCESS, "there is no process " + pid + Target.running());
        }
        if (!Files.isDirectory(SELF)) {
            checkListed(pid);
            return;
        }
        Path proc = Path.of("/proc", Long.toString(pid));
        try {
            checkOwner(pid, Owner.of(proc), Owner.of(SELF), rootMay);
            // File names may be any bytes.
            String maps = Files.readString(proc.resolve("maps"), StandardCharsets.ISO_8859_1);
            if (!maps.contains("/libjvm.so")) {
                throw noJvm(pid);
            }
            JvmOptions options = JvmOptions.of(proc);
            for (String refusal : refusals) {
                if (options.have(refusal)) {
                    throw new AttachException(
                            Problem.DISABLED, "process " + pid + " was started with " + refusal);
                }
            }
        } catch (AccessDeniedException e) {
            throw new AttachException(
                    Problem.OTHER_USER, "the system does not let you look into process " + pid, e);
        } catch (IOException e) {
            throw ended(pid, e);
        }
    }

    /** Where nothing else tells, JVMs are those that say so themselves. */
    private static void checkListed(long pid) throws AttachException {
        String id = Long.toString(pid);
        if (VirtualMachine.list().stream().noneMatch(jvm -> jvm.id().equals(id))) {
            throw noJvm(pid);
        }
    }

    /** Says that nothing is to be seen of a JVM: of one that ended meanwhile neither. */
    static AttachException noJvm(long pid) {
        String why = "process " + pid;
        return gone(pid)
                ? new AttachException(Problem.GONE, why + " ended meanwhile")
                : new AttachException(Problem.NO_JVM, why + " is no JVM" + Target.running());
    }

    private static void checkOwner(long pid, Owner owner, Owner user, boolean rootMay)
            throws AttachException {
        if (owner.id() != user.id() && !(rootMay && user.id() == 0)) {
            throw new AttachException(
                    Problem.OTHER_USER,
                    "process "
                            + pid
                            + " belongs to "
                            + owner.name()
                            + ", and you are "
                            + user.name()
                            + ": run this as "
                            + owner.name());
        }
    }
}
