package io.polder.lab.experiments.netty;

import io.netty.buffer.ByteBufAllocator;
import io.polder.bench.JvmFlags;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import org.HdrHistogram.Histogram;

import java.time.Duration;
import java.util.List;

/**
 * Main class of a measuring JVM: a server under load and after it, with the buffers of one
 * contender. Another JVM asks, so that nothing of that is in the figures.
 *
 * <pre>
 *   warm-up, small     idle         base   load            idle
 *   |==================|.............|------|===============|.............|
 *                                             peak: the most        idle: at the end
 * </pre>
 *
 * <p>All of it with one allocator, so that its classes and code are there before, and what it
 * always has is part of the base. The Java heap has one size and is touched before: what the
 * resident set grows by after the base is what the contender needs for large bodies, and what the
 * compilers add.
 *
 * <p>Samples: those named here, with the contender in front, latencies, and all points.
 */
final class ServerJvm {
    static final String REQUESTS = ".requests";
    static final String P99 = ".p99";
    static final String PEAK = ".peak";
    static final String IDLE = ".idle";

    /** Bodies have at least and at most so many bytes. */
    static final int BYTES_MIN = 1 << 10;

    static final int BYTES_MAX = 1 << 20;

    /** While warming up: what a burst needs comes later. */
    private static final int WARMUP_BYTES_MAX = 8 << 10;

    /** Growth that is smaller cannot be told from what the JVM does meanwhile. A guess. */
    private static final double GROWTH_BYTES_MIN = 1 << 20;

    private static final long SAMPLE_MILLIS = 50;
    private static final double PERCENTILE = 99;

    private final Task task;
    private final Sampler sampler;
    private final long baseBytes;
    private final long startNanos = System.nanoTime();
    private double peakBytes;
    private double idleBytes;

    private ServerJvm(Task task, Sampler sampler) {
        this.task = task;
        this.sampler = sampler;
        this.baseBytes = ProcessCheck.rssBytes().orElseThrow();
    }

    /** What it is told. */
    record Task(Contender contender, int round, long seed, Scale.Server scale) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ServerJvm::run);
    }

    private static void run(Task task, Sampler sampler)
            throws ExperimentException, InterruptedException {
        Scale.Server scale = task.scale();
        ByteBufAllocator allocator = task.contender().open();
        Findings _ =
                serve(
                        task,
                        allocator,
                        scale.warmup(),
                        WARMUP_BYTES_MAX,
                        () -> Thread.sleep(scale.idle()));
        System.gc();
        new ServerJvm(task, sampler).measure(allocator);
    }

    private void measure(ByteBufAllocator allocator)
            throws ExperimentException, InterruptedException {
        Thread watch = Thread.ofPlatform().daemon().name("lab-rss").start(this::watch);
        Scale.Server scale = task.scale();
        Findings client = serve(task, allocator, scale.load(), BYTES_MAX, this::idle);
        watch.interrupt();
        watch.join();
        String who = task.contender().id();
        Histogram nanos = client.latencies(ClientJvm.LATENCIES);
        sampler.sample(who + REQUESTS, client.median(ClientJvm.REQUESTS));
        sampler.sample(who + P99, (double) nanos.getValueAtPercentile(PERCENTILE));
        sampler.sample(who + PEAK, Math.max(GROWTH_BYTES_MIN, peakBytes));
        sampler.sample(who + IDLE, Math.max(GROWTH_BYTES_MIN, idleBytes));
        sampler.latencies(who, nanos);
    }

    /** What is done while the server has no requests any more. */
    private interface Idle {
        void pass() throws InterruptedException;
    }

    private void idle() throws InterruptedException {
        Thread.sleep(task.scale().idle());
        idleBytes = (double) grownBytes();
    }

    /** A server, requests for some time, and then none. */
    private static Findings serve(
            Task task, ByteBufAllocator allocator, Duration load, int bytesMax, Idle idle)
            throws ExperimentException, InterruptedException {
        Findings client = new Findings();
        try (HttpServer server = new HttpServer(allocator, BYTES_MAX)) {
            new MeasuringJvm(
                            ClientJvm.class,
                            List.of("-XX:+UseSerialGC", "-Xmx512m", JvmFlags.NATIVE_ACCESS),
                            Scale.timeout())
                    .run(
                            "Asking the server",
                            new ClientJvm.Task(
                                    server.port(),
                                    task.scale().connections(),
                                    load,
                                    BYTES_MIN,
                                    bytesMax,
                                    task.seed()),
                            client);
            idle.pass();
        }
        return client;
    }

    private void watch() {
        try {
            while (true) {
                long grown = grownBytes();
                peakBytes = Math.max(peakBytes, (double) grown);
                long millis = Duration.ofNanos(System.nanoTime() - startNanos).toMillis();
                sampler.point(new ServerPoint(task.contender(), task.round(), millis, grown));
                Thread.sleep(SAMPLE_MILLIS);
            }
        } catch (InterruptedException ended) {
            // As it is to.
        }
    }

    private long grownBytes() {
        return ProcessCheck.rssBytes().orElseThrow() - baseBytes;
    }
}
