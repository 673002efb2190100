package io.polder.arrow.spark;

import com.sun.management.OperatingSystemMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.BufferLedger;
import org.apache.arrow.memory.RootAllocator;
import org.apache.spark.api.java.JavaSparkContext;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What the executors of a job are, each a process on this machine; seen by a driver. */
public final class Executors {
    static final int COUNT = 2;

    /** The most tasks that are tried until each executor had one. */
    private static final int TASKS = 64 * COUNT;

    private static final String POOLS = "io.polder:type=MemoryPool,*";
    private static final List<String> FIGURES =
            List.of("usedBytes", "committedBytes", "reservedBytes", "committedMaxBytes");

    private Executors() {}

    /** Waits until all have started. */
    public static void awaitAll(JavaSparkContext context) throws InterruptedException {
        while (context.sc().getExecutorMemoryStatus().size() < COUNT + 1) {
            Thread.sleep(100);
        }
    }

    /**
     * A line for each that begins with when it was: whose memory Arrow's buffers are in, what is
     * resident, now and at most since the last look, and what the JVM has for classes and compiled
     * code, all in KiB; and the time of processors it has had, and of that its compilers.
     */
    public static List<String> lines(JavaSparkContext context, String when) {
        return look(context).values().stream().map(line -> when + " " + line).toList();
    }

    /** A line for each pool of Polder's in each, as any process may ask for it by JMX. */
    public static List<String> pools(JavaSparkContext context)
            throws IOException, JMException, AttachNotSupportedException {
        List<String> lines = new ArrayList<>();
        for (long process : look(context).keySet()) {
            for (String pool : pools(process)) {
                lines.add("JMX pid=" + process + pool);
            }
        }
        return lines;
    }

    /** The line of each, by the number of its process. */
    private static Map<Long, String> look(JavaSparkContext context) {
        Map<Long, String> lines = new TreeMap<>();
        for (int tasks = 4 * COUNT; lines.size() < COUNT && tasks <= TASKS; tasks *= 2) {
            List<Integer> numbers = IntStream.range(0, tasks).boxed().toList();
            for (String line :
                    context.parallelize(numbers, tasks).map(number -> executor()).collect()) {
                long process = Long.parseLong(line.substring(0, line.indexOf(' ')));
                lines.putIfAbsent(process, "pid=" + line);
            }
        }
        return lines;
    }

    /** In an executor: what it is. Its most is counted anew from then on. */
    private static String executor()
            throws IOException, ReflectiveOperationException, InterruptedException {
        Thread.sleep(100); // so that others get a task as well
        StringBuilder line = new StringBuilder();
        line.append(ProcessHandle.current().pid());
        try (BufferAllocator allocator = new RootAllocator();
                ArrowBuf buffer = allocator.buffer(1)) {
            Field field = BufferLedger.class.getDeclaredField("allocationManager");
            field.setAccessible(true);
            AllocationManager manager = (AllocationManager) field.get(buffer.getReferenceManager());
            line.append(" manager=").append(manager.getClass().getSimpleName());
        }
        for (String status : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (status.startsWith("VmHWM:") || status.startsWith("VmRSS:")) {
                line.append(' ').append(status.replaceAll(":\\s+", "=").replace(" kB", ""));
            }
        }
        long own = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted();
        line.append(" nonHeap=").append(own >> 10);
        long nanos =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime();
        line.append(" processorMillis=").append(nanos / 1_000_000);
        line.append(" compilersMillis=").append(processorMillis("C1 Compiler", "C2 Compiler"));
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        return line.toString();
    }

    /** The time of processors that threads have had, of those there are, by how names begin. */
    private static long processorMillis(String... beginnings) throws IOException {
        long nanos = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                try {
                    String name = Files.readString(thread.resolve("comm"));
                    if (Stream.of(beginnings).anyMatch(name::startsWith)) {
                        String times = Files.readString(thread.resolve("schedstat"));
                        nanos += Long.parseLong(times.substring(0, times.indexOf(' ')));
                    }
                } catch (IOException ended) {
                    // It has no time that anybody could tell any more.
                }
            }
        }
        return nanos / 1_000_000;
    }

    private static List<String> pools(long process)
            throws IOException, JMException, AttachNotSupportedException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(process));
        try (JMXConnector connector =
                JMXConnectorFactory.connect(
                        new JMXServiceURL(machine.startLocalManagementAgent()))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            List<String> lines = new ArrayList<>();
            for (ObjectName pool : new TreeSet<>(server.queryNames(new ObjectName(POOLS), null))) {
                StringBuilder line =
                        new StringBuilder(" pool=").append(pool.getKeyProperty("name"));
                CompositeData now = (CompositeData) server.getAttribute(pool, "Statistics");
                for (String figure : FIGURES) {
                    line.append(' ').append(figure).append('=').append(now.get(figure));
                }
                lines.add(line.toString());
            }
            return lines;
        } finally {
            machine.detach();
        }
    }
}
