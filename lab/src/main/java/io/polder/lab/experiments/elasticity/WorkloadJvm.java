package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Contender.Kind;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.LoadedLibrary;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/**
 * Main class of a measuring JVM: one workload on one contender, once.
 *
 * <p>The code is warmed up on memory of its own, with few loaders at a time and so with little
 * memory; then the contender begins anew. In a steady state code and memory warm up together.
 *
 * <p>Samples: see {@link Recording}, and {@value #VERIFIED}.
 */
final class WorkloadJvm {
    /** Bytes whose content was verified. */
    private static final String VERIFIED = "verified";

    /** Classes of a loader that warms up. A guess: many turns, little memory. */
    private static final int WARMUP_CLASSES_MAX = 10;

    /**
     * Classes at one time while warming up: about a megabyte, in enough owners that what they do is
     * what the workload's owners will do.
     */
    private static final int WARMUP_CLASSES_TOTAL = 200;

    private WorkloadJvm() {}

    /**
     * What it is told.
     *
     * @param catalogue file of a {@link ClassCatalogue}
     * @param seed of the catalogue
     * @param library that malloc must come from; null for any
     */
    record Task(
            Contender contender,
            String workload,
            String catalogue,
            long seed,
            @Nullable String library,
            Scale scale) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, WorkloadJvm::run);
    }

    private static void run(Task task, Sampler sampler)
            throws IOException, ExecutionException, InterruptedException {
        Scale scale = task.scale();
        Contender contender = task.contender();
        Workload workload = Workload.withId(task.workload()).scaledDown(scale.divisor());
        ClassCatalogue catalogue = ClassCatalogue.read(Path.of(task.catalogue()), task.seed());
        LoadedLibrary.requireOfMalloc(task.library());
        try (TimedThreads threads = new TimedThreads(workload.threads())) {
            if (contender.kind() == Kind.STEADY) {
                try (OwnedMemory memory = contender.open(workload, catalogue)) {
                    SteadyRun run = new SteadyRun(workload, catalogue, threads, memory, sampler);
                    sampler.count(VERIFIED, run.run(scale.warmup()));
                }
                return;
            }
            warmUp(contender, small(workload), catalogue, threads, scale);
            sampler.point(Sample.take(Stage.BASE, 0, 0, 0, 0, Sample.UNKNOWN));
            try (OwnedMemory memory = contender.open(workload, catalogue)) {
                WorkloadRun run = new WorkloadRun(workload, catalogue, threads, memory, sampler);
                sampler.count(VERIFIED, run.run(scale.points(), scale.rest()));
            }
        }
    }

    private static void warmUp(
            Contender contender,
            Workload small,
            ClassCatalogue catalogue,
            TimedThreads threads,
            Scale scale)
            throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        do {
            try (OwnedMemory memory = contender.open(small, catalogue)) {
                new WorkloadRun(small, catalogue, threads, memory, new Findings())
                        .run(1, Duration.ZERO);
            }
        } while (System.nanoTime() - start < scale.warmup().toNanos());
        System.gc();
    }

    /** The same turns and threads, but few loaders of each generation, and few classes. */
    private static Workload small(Workload workload) {
        int classes = Math.min(workload.classes(), WARMUP_CLASSES_MAX);
        return new Workload(
                workload.id(),
                workload.generations(),
                Math.max(1, WARMUP_CLASSES_TOTAL / (workload.generations() * classes)),
                classes,
                workload.interleave(),
                workload.threads(),
                workload.reload(),
                workload.valleyGoal());
    }
}
