package io.polder.arrow.spark;

import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.classic.Dataset;

import java.util.List;
import java.util.zip.CRC32C;

/**
 * A job whose executors turn rows into batches of Arrow's, as they do for Python; it knows nothing
 * of whose memory those are in, and prints what it made, how long it took, and what executors were.
 *
 * <p>Lines that begin with {@code result} are the same no matter who has the memory.
 */
public final class ArrowJob {
    /** Enough for what only the first batches need, as classes and threads. */
    private static final long WARM_UP_ROWS = 1000;

    private ArrowJob() {}

    /** How many rows, how often, and how many seconds of rest there are after it. */
    public static void main(String[] args) throws Exception {
        long rows = Long.parseLong(args[0]);
        int rounds = Integer.parseInt(args[1]);
        int restSeconds = Integer.parseInt(args[2]);
        try (SparkSession spark = SparkSession.builder().appName("polder-arrow").getOrCreate()) {
            JavaSparkContext context =
                    JavaSparkContext.fromSparkContext(
                            ((org.apache.spark.sql.classic.SparkSession) spark).sparkContext());
            Executors.awaitAll(context);
            batches(spark, WARM_UP_ROWS);
            Executors.lines(context, "before").forEach(System.out::println);
            for (int round = 0; round < rounds; round++) {
                long before = System.nanoTime();
                String made = batches(spark, rows);
                System.out.printf("seconds %.2f%n", (System.nanoTime() - before) / 1e9);
                System.out.println("result " + made);
            }
            Executors.lines(context, "after").forEach(System.out::println);
            Thread.sleep(1000L * restSeconds);
            Executors.lines(context, "rested").forEach(System.out::println);
            Executors.pools(context).forEach(System.out::println);
        }
    }

    /** Rows of several types as batches, in order: how many bytes, and their checksum. */
    private static String batches(SparkSession spark, long rows) {
        Dataset<Row> data =
                (Dataset<Row>)
                        spark.range(0, rows, 1, 2 * Executors.COUNT)
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
}
