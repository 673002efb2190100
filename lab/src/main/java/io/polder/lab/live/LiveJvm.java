package io.polder.lab.live;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.AttachOperationFailedException;
import com.sun.tools.attach.VirtualMachine;

import io.polder.lab.live.LiveException.Reason;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.Set;

import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A running JVM, seen through its MXBeans.
 *
 * <pre>{@code
 *   attach --> its local management agent is started, unless it runs --> connected --> MXBeans
 * }</pre>
 *
 * <p>The agent stays when this is closed, as with JConsole; it listens to this machine only.
 */
final class LiveJvm implements AutoCloseable {
    private static final String MARKER = "io.polder.MemoryPool";

    /** Far more than it takes until a pool is registered, about a second. */
    private static final long PATIENCE_MILLIS = 5000;

    /** Pools of a JVM that is younger may be on their way. */
    private static final long YOUNG_MILLIS = 3000;

    private static final long PAUSE_MILLIS = 100;

    private final long pid;
    private final String program;
    private final @Nullable String wanted;
    private final JMXConnector connector;
    private final MBeanServerConnection connection;

    private LiveJvm(long pid, Properties properties, JMXConnector connector) throws IOException {
        this.pid = pid;
        this.program = Printable.line(properties.getProperty("sun.java.command", ""));
        this.wanted = properties.getProperty("polder.mxbean");
        this.connector = connector;
        this.connection = connector.getMBeanServerConnection();
    }

    /**
     * Connects to a JVM.
     *
     * @throws LiveException if that cannot be; says why
     */
    @SuppressWarnings(
            "BanJNDI") // the address is of the agent that was just started, on this machine
    static LiveJvm connect(long pid) throws LiveException {
        Processes.check(pid);
        if (Processes.letsNobodyAttach(pid)) {
            throw new LiveException(
                    Reason.DISABLED,
                    "Process "
                            + pid
                            + " is a JVM that was started with -XX:+DisableAttachMechanism.");
        }
        try {
            VirtualMachine jvm = VirtualMachine.attach(Long.toString(pid));
            try {
                Properties properties = jvm.getSystemProperties();
                String address = jvm.startLocalManagementAgent();
                return new LiveJvm(
                        pid, properties, JMXConnectorFactory.connect(new JMXServiceURL(address)));
            } finally {
                jvm.detach();
            }
        } catch (AttachNotSupportedException refused) {
            throw refused(pid, refused, "");
        } catch (AttachOperationFailedException refused) {
            throw refused(pid, refused, " Its runtime may lack module jdk.management.agent.");
        } catch (IOException failed) {
            if (ProcessHandle.of(pid).isEmpty()) {
                throw LivePool.wentAway(pid, failed);
            }
            throw refused(pid, failed, " It may be told to let nobody attach.");
        }
    }

    private static LiveException refused(long pid, Exception refused, String hint) {
        if (ProcessHandle.of(pid).isEmpty()) {
            return LivePool.wentAway(pid, new IOException(refused));
        }
        return new LiveException(
                Reason.REFUSED,
                "Process "
                        + pid
                        + " is a JVM, but does not let this command attach: "
                        + Printable.line(String.valueOf(refused.getMessage()))
                        + "."
                        + hint,
                refused);
    }

    long pid() {
        return pid;
    }

    /** The process, and the program that it runs, in words. */
    String title() {
        String words = "PID " + pid;
        return program.isEmpty() ? words : words + " (" + program.split(" ", 2)[0] + ")";
    }

    /**
     * The pools that are open, by name; waits a moment for a JVM that has just begun.
     *
     * @throws LiveException if there are none, or the JVM went away
     */
    List<LivePool> pools() throws LiveException {
        try {
            long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
            Thread.sleep(Math.clamp(YOUNG_MILLIS - ageMillis(), 0, YOUNG_MILLIS));
            List<LivePool> pools = find();
            if (pools.isEmpty() && "false".equals(wanted)) {
                throw new LiveException(
                        Reason.NO_POOL,
                        title() + " runs with -Dpolder.mxbean=false, so its pools are not seen.");
            }
            if (pools.isEmpty() && !hasPolder()) {
                throw new LiveException(
                        Reason.NO_POOL,
                        title() + " does not use Polder: class " + MARKER + " is not loaded.");
            }
            while (pools.isEmpty() && System.nanoTime() - end < 0) {
                Thread.sleep(PAUSE_MILLIS);
                pools = find();
            }
            if (pools.isEmpty()) {
                throw new LiveException(
                        Reason.NO_POOL,
                        title() + " has loaded Polder, but has registered no pool as an MXBean.");
            }
            return pools;
        } catch (IOException ended) {
            throw LivePool.wentAway(pid, ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LiveException(Reason.WENT_AWAY, "Interrupted.", e);
        }
    }

    /** The pools that are open now, perhaps none. */
    List<LivePool> find() throws IOException {
        List<LivePool> pools = new ArrayList<>();
        for (ObjectName bean : names()) {
            pools.add(new LivePool(pid, connection, bean));
        }
        pools.sort(Comparator.comparing(LivePool::name).thenComparing(LivePool::label));
        return pools;
    }

    private Set<ObjectName> names() throws IOException {
        try {
            return connection.queryNames(new ObjectName("io.polder:type=MemoryPool,*"), null);
        } catch (MalformedObjectNameException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private long ageMillis() throws IOException {
        try {
            ObjectName runtime = new ObjectName("java.lang:type=Runtime");
            return ((Number) connection.getAttribute(runtime, "Uptime")).longValue();
        } catch (JMException unknown) {
            return 0;
        }
    }

    /** Whether a class of Polder is loaded; true as well if the JVM cannot tell. */
    private boolean hasPolder() throws IOException {
        try {
            Object text =
                    connection.invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmClassHierarchy",
                            new Object[] {new String[] {MARKER}},
                            new String[] {String[].class.getName()});
            return String.valueOf(text).contains(MARKER + "/");
        } catch (JMException unknown) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException ended) {
            // the JVM did, and nothing is left to close
        }
    }
}
