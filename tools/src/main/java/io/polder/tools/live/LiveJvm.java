package io.polder.tools.live;

import com.sun.tools.attach.AttachOperationFailedException;
import com.sun.tools.attach.VirtualMachine;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.attach.JvmProcess;
import io.polder.tools.attach.Patience;
import io.polder.tools.terminal.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;

import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
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

    private static final int CLOSE_SECONDS = 1;

    private final Patience patience;
    private final String program;
    private final @Nullable String wanted;
    private final JMXConnector connector;
    private final MBeanServerConnection connection;

    private LiveJvm(Patience patience, Properties properties, JMXConnector connector)
            throws IOException {
        this.patience = patience;
        this.program = Printable.of(properties.getProperty("sun.java.command", ""));
        this.wanted = properties.getProperty("polder.mxbean");
        this.connector = connector;
        this.connection = PatientConnection.of(connector.getMBeanServerConnection(), patience);
    }

    /**
     * Connects to a JVM.
     *
     * @throws AttachException if that cannot be; says why
     */
    @SuppressWarnings(
            "BanJNDI") // the address is of the agent that was just started, on this machine
    static LiveJvm connect(Patience patience) throws AttachException {
        long pid = patience.pid();
        if (pid == ProcessHandle.current().pid()) {
            throw new AttachException(
                    Problem.NO_POOL, "process " + pid + " is this command itself; name another");
        }
        VirtualMachine jvm = JvmProcess.attach(patience, true);
        try {
            return patience.askOver(
                    () -> {
                        Properties properties = jvm.getSystemProperties();
                        JMXServiceURL address = new JMXServiceURL(jvm.startLocalManagementAgent());
                        return new LiveJvm(
                                patience, properties, JMXConnectorFactory.connect(address));
                    });
        } catch (AttachOperationFailedException refused) {
            throw refused(pid, refused, "; its runtime may lack module jdk.management.agent");
        } catch (IOException failed) {
            throw refused(pid, failed, "");
        } finally {
            detach(jvm);
        }
    }

    private static void detach(VirtualMachine jvm) {
        try {
            jvm.detach();
        } catch (IOException e) {
            // There is nothing left to end.
        }
    }

    private static AttachException refused(long pid, Exception refused, String hint) {
        if (JvmProcess.gone(pid)) {
            return JvmProcess.ended(pid, refused);
        }
        return new AttachException(
                Problem.REFUSED,
                "process "
                        + pid
                        + " cannot be asked through its management agent: "
                        + Printable.of(String.valueOf(refused.getMessage()))
                        + hint,
                refused);
    }

    long pid() {
        return patience.pid();
    }

    /** How long it may take to answer. */
    Patience patience() {
        return patience;
    }

    /** The process, and the program that it runs, in words. */
    String title() {
        String words = "PID " + pid();
        return program.isEmpty() ? words : words + " (" + program.split(" ", 2)[0] + ")";
    }

    /**
     * The pools that are open, by name; waits a moment for a JVM that has just begun.
     *
     * @throws AttachException if there are none, or the JVM went away
     */
    List<LivePool> pools() throws AttachException {
        try {
            long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
            Thread.sleep(Math.clamp(YOUNG_MILLIS - ageMillis(), 0, YOUNG_MILLIS));
            patience.begin();
            List<LivePool> pools = find();
            if (pools.isEmpty() && "false".equals(wanted)) {
                throw new AttachException(
                        Problem.NO_POOL,
                        title() + " runs with -Dpolder.mxbean=false, so its pools are not seen");
            }
            if (pools.isEmpty() && !hasPolder()) {
                throw new AttachException(
                        Problem.NO_POOL,
                        title() + " does not use Polder: class " + MARKER + " is not loaded");
            }
            while (pools.isEmpty() && System.nanoTime() - end < 0) {
                Thread.sleep(PAUSE_MILLIS);
                pools = find();
            }
            if (pools.isEmpty()) {
                throw new AttachException(
                        Problem.NO_POOL,
                        title() + " has loaded Polder, but has registered no pool as an MXBean");
            }
            return pools;
        } catch (IOException ended) {
            throw JvmProcess.ended(pid(), ended);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttachException(Problem.GONE, "interrupted", e);
        }
    }

    /** The pools that are open now, perhaps none. Polder quotes the names of its beans. */
    List<LivePool> find() throws IOException {
        List<LivePool> pools = new ArrayList<>();
        for (ObjectName bean : names("io.polder:type=MemoryPool,name=\"*\",*")) {
            pools.add(new LivePool(pid(), connection, bean));
        }
        pools.sort(Comparator.comparing(LivePool::name).thenComparing(LivePool::number));
        return pools;
    }

    /** A line for each pool that is gone and left leaks, as any pool that is open tells. */
    List<String> formerLeaks() throws AttachException {
        Set<String> lines = new LinkedHashSet<>(); // copies of the library know their own
        try {
            for (ObjectName bean : names("io.polder:type=MemoryPool,name=\"*\",*")) {
                lines.addAll(formerLeaks(bean));
            }
            return List.copyOf(lines);
        } catch (IOException ended) {
            throw JvmProcess.ended(pid(), ended);
        }
    }

    private List<String> formerLeaks(ObjectName bean) throws IOException {
        try {
            return connection.getAttribute(bean, "FormerLeaks") instanceof String[] lines
                    ? List.of(lines)
                    : List.of();
        } catch (JMException other) {
            return List.of(); // closed meanwhile, or of another version
        }
    }

    private Set<ObjectName> names(String pattern) throws IOException {
        try {
            return connection.queryNames(new ObjectName(pattern), null);
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

    /**
     * Makes it collect garbage, and tell its pools what it found.
     *
     * @return false if it was told to collect none when it is asked
     */
    boolean collect() throws AttachException {
        try {
            Object _ = connection.invoke(new ObjectName("java.lang:type=Memory"), "gc", null, null);
            return !isOn("DisableExplicitGC");
        } catch (JMException | JMRuntimeException refused) {
            return true; // it collects when it wants to, or has no such flag
        } catch (IOException ended) {
            throw JvmProcess.ended(pid(), ended);
        }
    }

    /** Whether it runs with a flag. */
    private boolean isOn(String flag) throws IOException, JMException {
        Object option =
                connection.invoke(
                        new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                        "getVMOption",
                        new Object[] {flag},
                        new String[] {String.class.getName()});
        return option instanceof CompositeData known && "true".equals(known.get("value"));
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
            new Patience(pid(), CLOSE_SECONDS)
                    .askOver(
                            () -> {
                                connector.close();
                                return true;
                            });
        } catch (IOException | AttachException ended) {
            // the JVM did, or does not answer: nothing is left to close
        }
    }
}
