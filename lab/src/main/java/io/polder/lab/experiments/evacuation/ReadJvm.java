package io.polder.lab.experiments.evacuation;

import io.polder.heap.HeapOptions;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.experiments.evacuation.Scale.ReadPlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.Turns;
import io.polder.lab.harness.WorkerThreads;
import io.polder.lab.report.Format;

import java.util.List;
import java.util.Random;

/**
 * Main class of a measuring JVM: what a read costs that meets no moving object, against a copy of
 * the same bytes that no heap has.
 *
 * <p>One thread; objects that the caches hold, and objects that they do not. Kinds take turns, in
 * an order drawn anew.
 *
 * <p>Samples: of each {@link Kind} in each round, nanoseconds of a copy.
 */
final class ReadJvm {
    /** Of the objects that the caches hold: less than the second level has. */
    private static final long WARM_BYTES = 96 << 10;

    /** So that a few large objects are not all that is measured. */
    private static final int SIZE_MAX = 4096;

    /** Who copies, and from where. */
    enum Kind {
        COPY_WARM,
        READ_WARM,
        GET_WARM,
        COPY_COLD,
        READ_COLD,
        GET_COLD;

        /** Name of its samples. */
        String id() {
            return Format.id(this);
        }
    }

    private ReadJvm() {}

    /** What it is told. */
    record Task(long seed, ReadPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ReadJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        long seed = task.seed();
        ReadPlan plan = task.plan();
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT))) {
            ReadLoop.Objects warm = new ReadLoop.Objects(heap.heap(), WARM_BYTES, SIZE_MAX, seed);
            ReadLoop.Objects cold =
                    new ReadLoop.Objects(heap.heap(), plan.coldBytes(), SIZE_MAX, seed + 1);
            WorkerThreads<Kind> threads =
                    new WorkerThreads<>(1, Kind.class, (kind, _) -> loop(kind, warm, cold));
            measure(plan, threads, new Random(seed), sampler);
            threads.close();
            heap.verifyAtRest();
        }
    }

    private static ReadLoop loop(Kind kind, ReadLoop.Objects warm, ReadLoop.Objects cold) {
        return switch (kind) {
            case COPY_WARM -> new ReadLoop.Plain(warm);
            case READ_WARM -> new ReadLoop.Read(warm);
            case GET_WARM -> new ReadLoop.Get(warm);
            case COPY_COLD -> new ReadLoop.Plain(cold);
            case READ_COLD -> new ReadLoop.Read(cold);
            case GET_COLD -> new ReadLoop.Get(cold);
        };
    }

    private static void measure(
            ReadPlan plan, WorkerThreads<Kind> workers, Random random, Sampler sampler)
            throws InterruptedException {
        List<Kind> kinds = List.of(Kind.values());
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (Kind kind : kinds) {
                workers.measure(kind, plan.window());
            }
        }
        new Turns<>(kinds, plan.rounds(), random)
                .run(
                        (kind, _, done) -> {
                            WorkerThreads.Window window = workers.measure(kind, plan.window());
                            sampler.sample(kind.id(), window.cpuNanosPerOperation());
                            sampler.progress(done);
                        });
    }
}
