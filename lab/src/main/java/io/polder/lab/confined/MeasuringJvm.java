package io.polder.lab.confined;

import com.sun.management.OperatingSystemMXBean;

import org.openjdk.jmh.runner.RunnerException;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Main class of a measuring JVM: one workload, its contenders taking turns. A mixed one does
 * everything else that programs do before: {@link Mixture}.
 *
 * <p>All contenders warm up before any is measured, until the compilers are done with all of them.
 * Then come rounds until the time is over. A round gives each contender one batch, in an order
 * drawn anew: no contender always follows the same one. A round at whose end some contender is not,
 * or no longer, fully compiled does not count, as long as there is time for another one. At the end
 * a few batches on Polder count the bytes that it takes from the Java heap.
 *
 * <p>Arguments: workload, seed, {@link Pace}. Output: {@link Samples}.
 */
final class MeasuringJvm {
    /** Time kept for counting heap bytes at the end, in batches. */
    private static final int HEAP_BATCHES = 6;

    private final Pace pace;
    private final Batch batch;
    private final CompilerState compilers;
    private final List<Contender> order;
    private final Random random;
    private final PrintStream parent;

    /** When a mixed JVM is one; zero in a fresh one. */
    private final Duration begin;

    /** A mixed JVM has much to compile before it comes to the workload. */
    private final Duration warmupMax;

    private MeasuringJvm(Workload workload, long seed, Pace pace, PrintStream parent) {
        this.begin = workload.isMixed() ? uptime() : Duration.ZERO;
        this.warmupMax = workload.isMixed() ? pace.warmupMax().multipliedBy(3) : pace.warmupMax();
        this.pace = pace;
        this.batch = new Batch(workload);
        this.compilers = new CompilerState(workload);
        this.order = new ArrayList<>(workload.contenders());
        this.random = new Random(seed);
        this.parent = parent;
    }

    /** See the class. */
    public static void main(String[] args) throws RunnerException, InterruptedException {
        // Nobody else may write to the parent.
        PrintStream parent = System.out;
        System.setOut(System.err);
        List<String> words = List.of(args);
        Workload workload = Workload.withId(words.get(0));
        Pace pace = Pace.parse(words.subList(2, words.size()));
        if (workload.isMixed()) {
            new Mixture().run(pace.mixing());
        }
        MeasuringJvm jvm = new MeasuringJvm(workload, Long.parseLong(words.get(1)), pace, parent);
        jvm.warmUp();
        jvm.measure();
        jvm.measureHeap();
        parent.println(Samples.doneLine());
        parent.flush();
    }

    private void warmUp() throws RunnerException {
        Duration start = sinceStart();
        Duration took;
        do {
            round();
            took = sinceStart().minus(start);
        } while (took.compareTo(pace.warmup()) < 0
                || (took.compareTo(warmupMax) < 0 && !compilers.isSettled()));
    }

    private void measure() throws RunnerException {
        Duration end = pace.total().minus(pace.batch().multipliedBy(HEAP_BATCHES));
        Duration longest = Duration.ZERO;
        long wallStart = System.nanoTime();
        long cpuStart = cpuNanos();
        int rounds = 0;
        while (rounds < pace.roundsMin() || sinceStart().plus(longest).compareTo(end) < 0) {
            Duration start = sinceStart();
            double[] nanos = round();
            Duration took = sinceStart().minus(start);
            longest = took.compareTo(longest) > 0 ? took : longest;
            // When time is up a round counts whatever it met.
            if (sinceStart().compareTo(pace.total()) >= 0 || compilers.isSettled()) {
                for (int i = 0; i < nanos.length; i++) {
                    parent.println(Samples.sampleLine(order.get(i), nanos[i]));
                }
                rounds++;
            }
            parent.println(Samples.progressLine(share(rounds)));
        }
        double cpuShare = (cpuNanos() - cpuStart) / (double) (System.nanoTime() - wallStart);
        parent.println(Samples.cpuLine(Math.max(0, cpuShare)));
    }

    private void measureHeap() throws RunnerException {
        parent.println(Samples.heapLine(batch.heapBytes(Contender.POLDER, pace.batch())));
    }

    /** Times of one operation, in the order that was drawn. */
    private double[] round() throws RunnerException {
        Collections.shuffle(order, random);
        double[] nanos = new double[order.size()];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = batch.nanos(order.get(i), pace.batch());
        }
        return nanos;
    }

    /** Share of the work that is done: of the time or of the rounds, whichever is behind. */
    private double share(int rounds) {
        double time =
                pace.total().isZero()
                        ? 1
                        : sinceStart().toNanos() / (double) pace.total().toNanos();
        return Math.min(1, Math.min(time, rounds / (double) pace.roundsMin()));
    }

    /** Processor time of this JVM; zero throughout where it is not known. */
    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    private Duration sinceStart() {
        return uptime().minus(begin);
    }

    private static Duration uptime() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }
}
