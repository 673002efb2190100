package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * Main class of a measuring JVM: the program on one contender, once.
 *
 * <p>The code is warmed up on a smaller heap, on pages of its own: by the program, and by taking
 * and giving pages alone, because there are not enough of them in a program for the compilers.
 *
 * <p>Samples: see {@link Recording}.
 */
final class PagesJvm {
    private PagesJvm() {}

    /** What it is told. */
    record Task(Contender contender, long seed, Scale scale) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, PagesJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        Contender contender = task.contender();
        Program program = task.scale().program();
        new WarmUp(contender, task.seed()).run(task.scale().warmup());
        System.gc();
        long collections = collections();
        Figure.BASE_MAPS.write(sampler, ProcessCheck.count().orElse(0));
        try (PageSource source = contender.open(program.budgetBytes())) {
            new WorkloadRun(contender, program, source, task.seed(), sampler).run();
            Figure.COLLECTIONS.write(sampler, collections() - collections);
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }
}
