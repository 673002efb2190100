package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.CgroupMemory;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Main class of a measuring JVM: the resident memory of one workload on one contender. The code is
 * warmed up with few blocks; what the process has then is the base.
 *
 * <p>Points: {@link Memory}. Samples: {@link #BASE} and {@link #PEAK}, {@link TimeJvm#COMMITTED},
 * and {@link #METADATA} of a burst.
 */
final class MemoryJvm {
    /** Resident bytes before. */
    static final String BASE = "base";

    /** The most resident bytes meanwhile. */
    static final String PEAK = "peak";

    /** Java heap for each byte that Polder has committed, at the peak of a burst. */
    static final String METADATA = "metadata";

    /** Of watching for a peak. */
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private static final int WARM_UPS = 3;
    private static final long UNKNOWN = -1;

    private MemoryJvm() {}

    /**
     * What it is told.
     *
     * @param workload that is watched; {@link Burst#ID} for a burst
     * @param library that malloc must come from; null for any
     */
    record Task(
            Contender contender,
            String workload,
            @Nullable String library,
            long seed,
            Scale scale) {}

    /**
     * What the process has at one moment; {@value #UNKNOWN} is what nobody knows.
     *
     * @param stage of the burst
     * @param seconds since it began
     * @param rssBytes of the process, exact
     * @param cgroupBytes of its control group
     * @param committedBytes as far as the contender knows
     */
    record Memory(
            String stage, double seconds, long rssBytes, long cgroupBytes, long committedBytes) {
        static Memory now(String stage, double seconds, BlockSource source) {
            return new Memory(
                    stage,
                    seconds,
                    MemoryJvm.rssBytes(),
                    CgroupMemory.currentBytes().orElse(UNKNOWN),
                    source.committedBytes());
        }
    }

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, MemoryJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws IOException, InterruptedException {
        try (BlockSource source = TimeJvm.open(task.contender(), task.library())) {
            if (task.workload().equals(Burst.ID)) {
                burst(task, source, sampler);
            } else {
                watch(task, source, sampler);
            }
            source.giveBack();
            sampler.count(TimeJvm.COMMITTED, source.committedBytes());
        }
    }

    private static void watch(Task task, BlockSource source, Sampler sampler)
            throws InterruptedException {
        Workload workload = Workload.withId(task.workload());
        Scale scale = task.scale();
        int threads = workload.threadsMax();
        for (int i = 0; i < WARM_UPS; i++) {
            TimedRun.of(
                    workload.maker().make(source, threads, task.seed(), true),
                    scale.watched().dividedBy(2));
        }
        long base = base(source, sampler);
        long[] peak = {base};
        TimedRun.of(
                workload.maker().make(source, threads, task.seed(), false),
                scale.watched(),
                INTERVAL,
                () -> peak[0] = Math.max(peak[0], rssBytes()));
        sampler.count(PEAK, peak[0]);
    }

    private static void burst(Task task, BlockSource source, Sampler sampler)
            throws InterruptedException {
        Scale scale = task.scale();
        Burst burst = new Burst(source, scale.burstBytes(), task.seed());
        burst.warmUp();
        base(source, sampler);
        long heapBytes = usedHeapBytes();
        long start = System.nanoTime();
        sampler.point(Memory.now(Burst.BEGIN, 0, source));
        for (int second = 0; second < scale.traffic().toMillis(); second += 1000) {
            long millis = Math.min(1000, scale.traffic().toMillis() - second);
            burst.traffic(Duration.ofMillis(millis), scale.traffic());
            sampler.point(Memory.now(Burst.TRAFFIC, since(start), source));
        }
        Memory peak = Memory.now(Burst.FULL, since(start), source);
        sampler.point(peak);
        sampler.count(PEAK, peak.rssBytes());
        if (peak.committedBytes() > 0) {
            sampler.sample(
                    METADATA,
                    (double) Math.max(0, usedHeapBytes() - heapBytes) / peak.committedBytes());
        }
        burst.freeMost();
        long freed = System.nanoTime();
        for (int second = 0; second <= scale.idleSeconds(); second++) {
            long due = freed + Duration.ofSeconds(second).toNanos() - System.nanoTime();
            Thread.sleep(Duration.ofNanos(Math.max(0, due)));
            sampler.point(Memory.now(Burst.idle(second), since(start), source));
        }
        burst.freeRest();
        source.giveBack();
        sampler.point(Memory.now(Burst.END, since(start), source));
    }

    private static long base(BlockSource source, Sampler sampler) {
        System.gc();
        source.giveBack();
        long base = rssBytes();
        sampler.count(BASE, base);
        return base;
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** What is used of the Java heap when garbage is gone. */
    private static long usedHeapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long rssBytes() {
        return ProcessCheck.rssBytes()
                .orElseThrow(() -> new IllegalStateException("this system does not tell RSS"));
    }
}
