package io.polder.arrow.spark;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.BufferLedger;
import org.apache.arrow.memory.RootAllocator;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.classic.Dataset;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A job whose executors turn rows into batches of Arrow's, as they do for Python; it knows nothing
 * of whose memory those are in, and prints what it made, who it was and what is left.
 *
 * <p>Lines that begin with {@code result} are the same whoever has the memory.
 */
public final class ArrowJob {
    private static final int EXECUTORS = 2;
    private static final String POOLS = "io.polder:type=MemoryPool,*";

    private ArrowJob() {}

    /** How many rows, how often, and how many seconds of rest there are after it. */
    public static void main(String[] args) throws IOException, InterruptedException {
        long rows = Long.parseLong(args[0]);
        int rounds = Integer.parseInt(args[1]);
        long restMillis = 1000 * Long.parseLong(args[2]);
        try (SparkSession spark = SparkSession.builder().appName("polder-arrow").getOrCreate()) {
            JavaSparkContext context =
                    JavaSparkContext.fromSparkContext(
                            ((org.apache.spark.sql.classic.SparkSession) spark).sparkContext());
            waitForExecutors(context);
            long before = System.nanoTime();
            for (int round = 0; round < rounds; round++) {
                System.out.println("result " + batches(spark, rows));
            }
            System.out.printf("seconds %.2f%n", (System.nanoTime() - before) / 1e9);
            executors(context).forEach(line -> System.out.println("after the job " + line));
            Thread.sleep(restMillis);
            executors(context)
                    .forEach(line -> System.out.printf("%d s later %s%n", restMillis / 1000, line));
        }
    }

    /** Waits until both executors are there. */
    public static void waitForExecutors(JavaSparkContext context) throws InterruptedException {
        while (context.sc().getExecutorMemoryStatus().size() < EXECUTORS + 1) {
            Thread.sleep(100);
        }
    }

    /** Rows of several types as batches, in order: how many bytes, and their checksum. */
    private static String batches(SparkSession spark, long rows) {
        Dataset<Row> data =
                (Dataset<Row>)
                        spark.range(0, rows, 1, 2 * EXECUTORS)
                                .selectExpr(
                                        "id",
                                        "id / 7.0 as ratio",
                                        "concat('row ', id) as name",
                                        "if(id % 5 = 0, null, id * 3) as maybe",
                                        "sequence(0, id % 4) as list");
        List<byte[]> batches = data.toArrowBatchRdd().toJavaRDD().collect();
        CRC32C sum = new CRC32C();
        long bytes = 0;
        for (byte[] batch : batches) {
            sum.update(batch);
            bytes += batch.length;
        }
        return "batches=%d bytes=%d crc32c=%08x".formatted(batches.size(), bytes, sum.getValue());
    }

    /** A line for each executor. */
    public static Collection<String> executors(JavaSparkContext context) {
        List<Integer> tasks = IntStream.range(0, 8 * EXECUTORS).boxed().toList();
        Map<String, String> lines = new TreeMap<>();
        for (String line :
                context.parallelize(tasks, tasks.size()).map(task -> executor()).collect()) {
            lines.putIfAbsent(line.substring(0, line.indexOf(' ')), line);
        }
        return lines.values();
    }

    /** Who has Arrow's memory in this JVM, how large it is, and what Polder says by JMX. */
    private static String executor()
            throws IOException, ReflectiveOperationException, JMException, InterruptedException {
        Thread.sleep(100); // so that others get a task as well
        StringBuilder line = new StringBuilder();
        line.append("pid=").append(ProcessHandle.current().pid());
        try (BufferAllocator allocator = new RootAllocator();
                ArrowBuf buffer = allocator.buffer(1)) {
            Field field = BufferLedger.class.getDeclaredField("allocationManager");
            field.setAccessible(true);
            AllocationManager manager = (AllocationManager) field.get(buffer.getReferenceManager());
            line.append(" manager=").append(manager.getClass().getSimpleName());
        }
        for (String status : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (status.startsWith("VmHWM:") || status.startsWith("VmRSS:")) {
                line.append(' ').append(status.replaceAll(":\\s+", "=").replace(" kB", "k"));
            }
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName pool : new TreeSet<>(server.queryNames(new ObjectName(POOLS), null))) {
            line.append(" pool=").append(pool.getKeyProperty("name"));
            for (String attribute : List.of("CommittedBytes", "UsedBytes")) {
                line.append(' ')
                        .append(attribute)
                        .append('=')
                        .append(server.getAttribute(pool, attribute));
            }
        }
        return line.toString();
    }
}
