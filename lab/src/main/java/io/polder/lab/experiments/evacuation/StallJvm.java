package io.polder.lab.experiments.evacuation;

import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.experiments.evacuation.Scale.StallPlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

import java.util.concurrent.CountDownLatch;

/**
 * Main class of a measuring JVM: a reader stalls, and others use the heap meanwhile, which is
 * compacted, or would be.
 *
 * <p>Samples: those named here.
 */
final class StallJvm {
    /** Nanoseconds that a use of an object waited for a copy, at most. */
    static final String LONGEST_WAIT = "longest_wait";

    /** Nanoseconds that compaction waited for the reader. */
    static final String GRACE = "grace";

    /** Whether the statistics named the reader: 1 or 0. */
    static final String NAMED = "named";

    /** Of others' operations meanwhile, and of copies without a heap afterwards. */
    static final String OPERATIONS = "operations";

    static final String CONTROL = "control";

    /** One of so many objects is replaced by a tiny one. */
    private static final int GARBAGE_EVERY = 3;

    private static final String STALLED_THREAD = "polder-lab-stalled";

    private final StallPlan plan;
    private final long seed;
    private final int threads = Runtime.getRuntime().availableProcessors();

    private StallJvm(StallPlan plan, long seed) {
        this.plan = plan;
        this.seed = seed;
    }

    /** What it is told. */
    record Task(long seed, StallPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, StallJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        StallJvm jvm = new StallJvm(task.plan(), task.seed());
        jvm.warmUp();
        sampler.progress(0.5);
        jvm.run(sampler);
    }

    private void warmUp() throws InterruptedException {
        try (LabHeap heap = open()) {
            injector(population(heap)).run(plan.perSecond(), plan.warmup());
            stall(population(heap)).leave();
        }
    }

    private void run(Sampler sampler) throws InterruptedException {
        try (LabHeap heap = open()) {
            Population population = population(heap);
            Injector injector = injector(population);
            Stalled stalled = stall(population);
            makeGarbage(population);
            Injector.Outcome outcome = injector.run(plan.perSecond(), plan.stall());
            HeapStatistics during = heap.stats();
            stalled.leave();
            // Makes compaction wait for the grace period that the reader held up.
            long _ = heap.heap().compact();
            HeapStatistics after = heap.stats();
            boolean named = STALLED_THREAD.equals(during.longestInsideThread());
            sampler.count(NAMED, named ? 1 : 0);
            sampler.count(LONGEST_WAIT, after.longestWaitNanos());
            sampler.count(GRACE, during.longestInsideNanos()); // since compaction met the reader
            sampler.latencies(OPERATIONS, outcome.latencies());
            heap.verifyAtRest();
        }
        ValueSizes sizes = ValueSizes.ofCache();
        Injector copies = new Injector(threads, i -> new PlainCopies(sizes, seed + i));
        sampler.latencies(CONTROL, copies.run(plan.perSecond(), plan.stall()).latencies());
    }

    private static LabHeap open() {
        return new LabHeap(HeapSettings.of(HeapOptions.DEFAULT));
    }

    private Population population(LabHeap heap) {
        return new Population(heap.heap(), ValueSizes.ofCache(), plan.liveBytes(), threads, seed);
    }

    private Injector injector(Population population) {
        Passage passage = new SlotPassage();
        return new Injector(
                threads, i -> new TrafficLoop(population, passage, i, seed + i)::operate);
    }

    /** Enough for compaction to begin: it cannot end before the reader does. */
    private static void makeGarbage(Population population) {
        for (int slot = 1; slot < population.count(); slot += GARBAGE_EVERY) {
            population.heap().free(population.handle(slot));
            population.set(slot, population.heap().allocate(Long.BYTES));
        }
    }

    /** A reader that stays inside until it is told to leave. */
    private record Stalled(Thread thread, CountDownLatch leaving) {
        void leave() throws InterruptedException {
            leaving.countDown();
            thread.join();
        }
    }

    /** A thread that is inside a read when this returns. */
    private static Stalled stall(Population population) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leaving = new CountDownLatch(1);
        Runnable read =
                () ->
                        population
                                .heap()
                                .read(
                                        population.handle(0),
                                        object -> {
                                            inside.countDown();
                                            awaitForever(leaving);
                                            return object.byteSize();
                                        });
        Thread thread = Thread.ofPlatform().daemon().name(STALLED_THREAD).start(read);
        inside.await();
        return new Stalled(thread, leaving);
    }

    private static void awaitForever(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts a reader", e);
        }
    }
}
