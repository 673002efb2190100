package io.polder.lab.experiments.evacuation;

import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.experiments.evacuation.Scale.TrafficPlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.WorkerThreads;

import java.util.ArrayList;
import java.util.List;

/**
 * Main class of a measuring JVM: threads use a heap whose objects move, and one whose do not.
 *
 * <p>Every operation passes a gate, which is what differs, and inside that the heap's own, which is
 * the library's. Both heaps have the same objects. One never compacts while it is measured,
 * and is compacted between two windows; the other one does so all the time, in its background and
 * within the share of a processor that a heap has by itself. The JVM knows one kind of gate only,
 * as a program does.
 *
 * <p>Samples: those named here.
 */
final class TrafficJvm {
    /** Operations a second in a heap at rest, and in one that is compacted. */
    static final String AT_REST = "at_rest";

    static final String COMPACTING = "compacting";

    /** Share of a processor that copied meanwhile, and bytes a second. */
    static final String COMPACTION_SHARE = "compaction_share";

    static final String EVACUATED = "evacuated";

    /** Operations a second of which {@link #LATENCIES} are, and of which 99 % are in time. */
    static final String RATE = "rate";

    static final String CRITICAL = "critical";

    /** Of operations on the heap, and of copies without a heap. */
    static final String LATENCIES = "operations";

    static final String CONTROL = "control";

    /** Reads of objects that another thread freed meanwhile. */
    static final String STALE = "stale";

    private static final int RATE_PART = 4;

    /** What is measured in turns. */
    private enum State {
        AT_REST,
        COMPACTING
    }

    private final TrafficPlan plan;
    private final long seed;
    private final Passage passage;
    private final int threads = Runtime.getRuntime().availableProcessors();
    private final Population atRest;
    private final Population compacting;
    private final List<TrafficLoop> loops = new ArrayList<>();

    private TrafficJvm(Task task, RelocatingHeap atRest, RelocatingHeap compacting) {
        this.plan = task.plan();
        this.seed = task.seed();
        this.passage = task.gate().open();
        ValueSizes sizes = ValueSizes.ofCache();
        this.atRest = new Population(atRest, sizes, plan.liveBytes(), threads, seed);
        this.compacting = new Population(compacting, sizes, plan.liveBytes(), threads, seed);
    }

    /** What it is told; a rate of 0 is a quarter of what this heap can do. */
    record Task(GateKind gate, long seed, double rate, TrafficPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, TrafficJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT);
        HeapSettings still = HeapSettings.of(HeapOptions.DEFAULT.withCompactionShare(0));
        try (LabHeap atRest = new LabHeap(still);
                LabHeap compacting = new LabHeap(settings)) {
            new TrafficJvm(task, atRest.heap(), compacting.heap()).run(task.rate(), sampler);
            atRest.verifyAtRest();
            compacting.verifyAtRest();
        }
    }

    private void run(double givenRate, Sampler sampler) throws InterruptedException {
        double perSecond = throughput(sampler);
        sampler.progress(0.5);
        double rate = givenRate > 0 ? givenRate : perSecond / RATE_PART;
        Injector injector = new Injector(threads, i -> loop(compacting, threads + i)::operate);
        Injector.Outcome outcome = injector.run(rate, plan.latency());
        sampler.sample(RATE, rate);
        sampler.latencies(LATENCIES, outcome.latencies());
        sampler.progress(0.6);
        Injector copies = new Injector(threads, i -> new PlainCopies(compacting.sizes(), seed + i));
        sampler.latencies(CONTROL, copies.run(rate, plan.latency()).latencies());
        sampler.progress(0.7);
        sampler.sample(CRITICAL, plan.search().run(injector, perSecond));
        sampler.count(STALE, loops.stream().mapToLong(TrafficLoop::stale).sum());
    }

    private double throughput(Sampler sampler) throws InterruptedException {
        double most = 0;
        WorkerThreads<State> workers = new WorkerThreads<>(threads, State.class, this::loop);
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (State state : State.values()) {
                workers.measure(state, plan.window());
            }
            compactBoth();
        }
        for (int round = 0; round < plan.rounds(); round++) {
            most = Math.max(most, round(workers, sampler));
            sampler.progress(0.5 * (round + 1) / plan.rounds());
        }
        workers.close();
        passage.verifyEmpty();
        return most;
    }

    private double round(WorkerThreads<State> workers, Sampler sampler)
            throws InterruptedException {
        compactBoth();
        sampler.sample(AT_REST, workers.measure(State.AT_REST, plan.window()).perSecond());
        // Garbage first: compaction is to be at work when the window begins.
        workers.measure(State.COMPACTING, plan.window());
        HeapStatistics before = compacting.heap().stats();
        long start = System.nanoTime();
        WorkerThreads.Window window = workers.measure(State.COMPACTING, plan.window());
        double nanos = System.nanoTime() - start;
        HeapStatistics after = compacting.heap().stats();
        sampler.sample(COMPACTING, window.perSecond());
        sampler.sample(
                COMPACTION_SHARE, (after.compactionNanos() - before.compactionNanos()) / nanos);
        sampler.sample(EVACUATED, (after.evacuatedBytes() - before.evacuatedBytes()) * 1e9 / nanos);
        return window.perSecond();
    }

    /** Compacts both heaps, so that neither is at work on garbage of the other one's turn. */
    private void compactBoth() {
        long _ = atRest.heap().compact();
        long _ = compacting.heap().compact();
    }

    private TrafficLoop loop(State state, int thread) {
        return loop(state == State.AT_REST ? atRest : compacting, thread);
    }

    private synchronized TrafficLoop loop(Population population, int seedOffset) {
        TrafficLoop loop =
                new TrafficLoop(population, passage, seedOffset % threads, seed + seedOffset);
        loops.add(loop);
        return loop;
    }
}
