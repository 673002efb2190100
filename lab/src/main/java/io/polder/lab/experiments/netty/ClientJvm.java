package io.polder.lab.experiments.netty;

import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Nanos;
import io.polder.lab.harness.Sampler;

import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Main class of the JVM that asks a server: a thread for each connection, which sends its next
 * request when the answer has come. Bodies of requests and answers are of random sizes, of which
 * each doubling is as frequent.
 *
 * <p>Samples: {@link #REQUESTS} and {@link #LATENCIES}.
 */
final class ClientJvm {
    /** Answers in a second. */
    static final String REQUESTS = "requests";

    /** From the first byte of a request that is sent to the last of the answer. */
    static final String LATENCIES = "latencies";

    private ClientJvm() {}

    /**
     * What it is told.
     *
     * @param bytesMin of the smallest body
     * @param bytesMax of the largest one
     */
    record Task(int port, int connections, Duration time, int bytesMin, int bytesMax, long seed) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ClientJvm::run);
    }

    private static void run(Task task, Sampler sampler)
            throws InterruptedException, ExecutionException {
        Histogram all = Nanos.histogram();
        List<Future<Histogram>> parts = new ArrayList<>();
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(task.connections())) {
            for (int i = 0; i < task.connections(); i++) {
                SplittableRandom random = new SplittableRandom(task.seed() * 1000 + i);
                parts.add(threads.submit(() -> ask(task, random, start)));
            }
            for (Future<Histogram> part : parts) {
                all.add(part.get());
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        sampler.sample(REQUESTS, all.getTotalCount() / seconds);
        sampler.latencies(LATENCIES, all);
    }

    private static Histogram ask(Task task, SplittableRandom random, long start)
            throws IOException {
        Histogram nanos = Nanos.histogram();
        try (HttpConnection connection = new HttpConnection(task.port(), task.bytesMax())) {
            do {
                int body = size(task, random);
                int answer = size(task, random);
                long before = System.nanoTime();
                connection.exchange(body, answer);
                Nanos.record(nanos, System.nanoTime() - before);
            } while (System.nanoTime() - start < task.time().toNanos());
        }
        return nanos;
    }

    /** A size between the smallest and the largest. */
    static int size(Task task, SplittableRandom random) {
        double range = Math.log((double) task.bytesMax() / task.bytesMin());
        return (int) (task.bytesMin() * Math.exp(random.nextDouble() * range));
    }
}
