package io.polder.lab.elasticity;

import io.polder.lab.elasticity.Contender.Kind;
import io.polder.lab.machine.Malloc;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * Main class of a measuring JVM: one workload on one contender, once.
 *
 * <p>The code is warmed up on memory of its own, with few loaders at a time and so with little
 * memory; then the contender begins anew. In a steady state code and memory warm up together.
 *
 * <p>Arguments: contender, workload, file of a {@link ClassCatalogue}, seed, library that malloc
 * must come from or {@value #ANY_LIBRARY}, {@link Effort}. Output: lines of {@link Sample} and
 * of {@link Recording#mapLine}, then {@value #DONE} and the bytes whose content was verified.
 */
final class WorkloadJvm {
    /** First word of the last line. */
    static final String DONE = "done";

    /** Instead of a library: malloc may come from anywhere. */
    static final String ANY_LIBRARY = "-";

    /** Arguments in front of the effort. */
    private static final int OWN_ARGS = 5;

    /** Classes of a loader that warms up. A guess: many turns, little memory. */
    private static final int WARMUP_CLASSES_MAX = 10;

    /**
     * Classes at one time while warming up: about a megabyte, in enough owners that what they do is
     * what the workload's owners will do.
     */
    private static final int WARMUP_CLASSES_TOTAL = 200;

    private WorkloadJvm() {}

    /** See the class. */
    public static void main(String[] args)
            throws IOException, ExecutionException, InterruptedException {
        // Nobody else may write to the parent.
        PrintStream parent = System.out;
        System.setOut(System.err);
        List<String> words = List.of(args);
        Contender contender = Contender.withId(words.get(0));
        Effort effort = Effort.parse(words.subList(OWN_ARGS, words.size()));
        Workload workload = Workload.withId(words.get(1)).scaledDown(effort.divisor());
        ClassCatalogue catalogue =
                ClassCatalogue.read(Path.of(words.get(2)), Long.parseLong(words.get(3)));
        if (!words.get(4).equals(ANY_LIBRARY)) {
            LoadedLibrary.require(Malloc.address(), Path.of(words.get(4)));
        }
        Witness witness = new Telling(parent);
        try (Crew crew = new Crew(workload.threads())) {
            if (contender.kind() == Kind.STEADY) {
                try (OwnedMemory memory = contender.open(workload, catalogue)) {
                    SteadyRun run = new SteadyRun(workload, catalogue, crew, memory, witness);
                    parent.println(DONE + " " + run.run(effort.warmup()));
                    parent.flush();
                }
                return;
            }
            warmUp(contender, small(workload), catalogue, crew, effort);
            witness.sample(Sample.take(Stage.BASE, 0, 0, 0, 0, Sample.UNKNOWN));
            try (OwnedMemory memory = contender.open(workload, catalogue)) {
                WorkloadRun run = new WorkloadRun(workload, catalogue, crew, memory, witness);
                parent.println(DONE + " " + run.run(effort.points(), effort.settle()));
            }
        }
        parent.flush();
    }

    /** Tells the parent. */
    private record Telling(PrintStream parent) implements Witness {
        @Override
        public void sample(Sample sample) {
            parent.println(sample.line());
        }

        @Override
        public void map(Stage stage, String map) {
            parent.println(Recording.mapLine(stage, map));
        }
    }

    private static void warmUp(
            Contender contender, Workload small, ClassCatalogue catalogue, Crew crew, Effort effort)
            throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        do {
            try (OwnedMemory memory = contender.open(small, catalogue)) {
                new WorkloadRun(small, catalogue, crew, memory, _ -> {}).run(1, Duration.ZERO);
            }
        } while (System.nanoTime() - start < effort.warmup().toNanos());
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
