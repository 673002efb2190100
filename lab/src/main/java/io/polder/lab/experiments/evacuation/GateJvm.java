package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.WorkerThreads;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Main class of a measuring JVM: what it costs to enter a gate and leave it.
 *
 * <p>In a round each contender is measured once at each number of threads, in an order drawn anew.
 *
 * <p>Samples: of each contender and number of threads in each round, and {@value #PROCESSORS}.
 */
final class GateJvm {
    /** Processors that all threads got together, where there were more threads than processors. */
    static final String PROCESSORS = "processors";

    private final GatePlan plan;
    private final Random random;
    private final Gates gates = new Gates();
    private final Map<Integer, WorkerThreads<GateContender>> threads = new TreeMap<>();

    private GateJvm(GatePlan plan, long seed) {
        this.plan = plan;
        this.random = new Random(seed);
        GatePlan.THREADS.forEach(count -> threads.put(count, threadsOf(count)));
    }

    /** What it is told. */
    record Task(long seed, GatePlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, GateJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        new GateJvm(task.plan(), task.seed()).run(sampler);
    }

    private void run(Sampler sampler) throws InterruptedException {
        Duration step = plan.window();
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (GateContender contender : GateContender.values()) {
                threads(1).measure(contender, step);
                threads(2).measure(contender, step);
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            round(sampler);
            sampler.progress((round + 1.0) / plan.rounds());
        }
        for (WorkerThreads<GateContender> group : threads.values()) {
            group.close();
        }
        gates.verifyEmpty();
    }

    private void round(Sampler sampler) throws InterruptedException {
        List<Integer> counts = new ArrayList<>(GatePlan.THREADS);
        Collections.shuffle(counts, random);
        for (int count : counts) {
            List<GateContender> order = new ArrayList<>(Arrays.asList(GateContender.values()));
            Collections.shuffle(order, random);
            for (GateContender contender : order) {
                WorkerThreads.Window window = threads(count).measure(contender, plan.window());
                sampler.sample(contender.samples(count), window.cpuNanosPerOperation());
                if (count >= Runtime.getRuntime().availableProcessors()) {
                    sampler.sample(PROCESSORS, window.processors());
                }
            }
        }
    }

    private WorkerThreads<GateContender> threadsOf(int count) {
        return new WorkerThreads<>(
                count, GateContender.class, (contender, _) -> gates.loop(contender));
    }

    private WorkerThreads<GateContender> threads(int count) {
        WorkerThreads<GateContender> group = threads.get(count);
        if (group == null) {
            throw new IllegalArgumentException("no such group of threads: count=" + count);
        }
        return group;
    }
}
