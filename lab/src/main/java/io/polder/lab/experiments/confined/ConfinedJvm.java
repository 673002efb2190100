package io.polder.lab.experiments.confined;

import com.sun.management.OperatingSystemMXBean;

import io.polder.lab.harness.CompilerState;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

import org.openjdk.jmh.runner.RunnerException;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Main class of a measuring JVM: one workload, its contenders taking turns. A mixed one does
 * everything else that programs do before, {@link Mixture}, and may measure several, one after the
 * other.
 *
 * <p>All contenders warm up before any is measured, until the compilers are done with all of them.
 * Then come rounds until the time is over. A round gives each contender one batch, in an order
 * drawn anew: no contender always follows the same one. A round at whose end some contender is not,
 * or no longer, fully compiled does not count. Where other programs have the processors, compilers
 * take longer, so they are waited for by the clock of the processors, too; if that was in vain, it
 * is said. At the end a few batches on Polder count the bytes that it takes from the Java heap.
 *
 * <p>Samples, by the names of {@link #sampleName}: of each {@link Contender} in each round the time
 * of one operation in nanoseconds, {@value #HEAP} and {@value #UNCOMPILED}.
 */
final class ConfinedJvm {
    /** Bytes of Java heap that one operation on Polder takes. */
    static final String HEAP = "heap";

    /** Rounds that count although something was not compiled. */
    static final String UNCOMPILED = "uncompiled";

    /** Time kept for counting heap bytes at the end, in batches. */
    private static final int HEAP_BATCHES = 6;

    /** So many times the longest warm-up on the clock is the longest on a busy machine. A guess. */
    private static final int BUSY = 6;

    /** So many times as long does the first of several workloads warm up. Tried: enough. */
    private static final int FIRST = 4;

    /**
     * So many times as long do huge ones, which do little in the time and are not waited for until
     * they are compiled. Tried: what is around the memory is by then.
     */
    private static final int HUGE = 4;

    private final Scale scale;
    private final Workload workload;
    private final Batch batch;
    private final CompilerState compilers;
    private final List<Contender> order;
    private final Random random;
    private final Sampler sampler;

    /** The share of the JVM's work that is done before, and how much of it this workload is. */
    private final double shareBefore;

    private final double shareOfAll;

    /** When a mixed JVM came to the workload; zero in a fresh one. */
    private final Duration begin;

    private final Duration cpuBegin;

    /** One mixed JVM for all workloads has the most to compile again with the first of them. */
    private final Duration warmup;

    /** A mixed JVM has much to compile before it comes to the workload. */
    private final Duration warmupMax;

    /** What it is told. */
    record Task(List<String> workloads, long seed, Scale scale) {}

    private ConfinedJvm(Workload workload, Task task, Sampler sampler) {
        this.scale = task.scale();
        this.workload = workload;
        this.shareOfAll = 1.0 / task.workloads().size();
        this.shareBefore = task.workloads().indexOf(workload.id()) * shareOfAll;
        this.begin = workload.isMixed() ? uptime() : Duration.ZERO;
        this.cpuBegin = workload.isMixed() ? cpuTime() : Duration.ZERO;
        boolean first = task.workloads().size() > 1 && shareBefore == 0;
        this.warmup = scale.warmup().multipliedBy(first ? FIRST : workload.isHuge() ? HUGE : 1);
        this.warmupMax = scale.warmupMax().multipliedBy(workload.isMixed() ? 3 : 1);
        this.batch = new Batch(workload);
        this.compilers = new CompilerState(workload.measuredMethods());
        this.order = new ArrayList<>(workload.contenders());
        this.random = new Random(task.seed());
        this.sampler = sampler;
    }

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ConfinedJvm::run);
    }

    private static void run(Task task, Sampler sampler)
            throws RunnerException, InterruptedException {
        List<Workload> workloads = task.workloads().stream().map(Workload::withId).toList();
        if (workloads.getFirst().isMixed()) {
            new Mixture().run(task.scale().mixing());
        }
        for (Workload workload : workloads) {
            ConfinedJvm jvm = new ConfinedJvm(workload, task, sampler);
            jvm.warmUp();
            jvm.measure();
            sampler.sample(
                    sampleName(workload, HEAP),
                    jvm.batch.heapBytes(Contender.POLDER, jvm.scale.batch()));
        }
    }

    /** What samples of a workload are called. */
    static String sampleName(Workload workload, String what) {
        return workload.id() + " " + what;
    }

    private void warmUp() throws RunnerException {
        Duration start = sinceStart();
        do {
            round();
        } while (sinceStart().minus(start).compareTo(warmup) < 0
                || (mayWait() && !compilers.isDone()));
    }

    private void measure() throws RunnerException {
        Duration end = scale.total().minus(scale.batch().multipliedBy(HEAP_BATCHES));
        Duration longest = Duration.ZERO;
        int rounds = 0;
        int uncompiled = 0;
        while (rounds < scale.roundsMin() || sinceStart().plus(longest).compareTo(end) < 0) {
            Duration start = sinceStart();
            double[] nanos = round();
            Duration took = sinceStart().minus(start);
            longest = took.compareTo(longest) > 0 ? took : longest;
            boolean compiled = compilers.isDone();
            if (compiled || !mayWait()) {
                for (int i = 0; i < nanos.length; i++) {
                    sampler.sample(sampleName(workload, order.get(i).name()), nanos[i]);
                }
                rounds++;
                uncompiled += compiled ? 0 : 1;
            }
            sampler.progress(shareBefore + share(rounds) * shareOfAll);
        }
        sampler.count(sampleName(workload, UNCOMPILED), uncompiled);
    }

    /** Times of one operation, in the order that was drawn. */
    private double[] round() throws RunnerException {
        Collections.shuffle(order, random);
        double[] nanos = new double[order.size()];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = batch.nanos(order.get(i), scale.batch());
        }
        return nanos;
    }

    /** Share of the workload that is done: of the time or of the rounds, whichever is behind. */
    private double share(int rounds) {
        double time =
                scale.total().isZero()
                        ? 1
                        : sinceStart().toNanos() / (double) scale.total().toNanos();
        return Math.min(1, Math.min(time, rounds / (double) scale.roundsMin()));
    }

    /** Whether the compilers may still become done: they had little time of the processors. */
    private boolean mayWait() {
        return sinceStart().compareTo(warmupMax) < 0
                || (cpuTime().minus(cpuBegin).compareTo(warmupMax) < 0
                        && sinceStart().compareTo(warmupMax.multipliedBy(BUSY)) < 0);
    }

    /** Processor time of this JVM; time on the clock where it is not known. */
    private static Duration cpuTime() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Duration.ofNanos(system.getProcessCpuTime())
                : uptime();
    }

    private Duration sinceStart() {
        return uptime().minus(begin);
    }

    private static Duration uptime() {
        return Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    }
}
