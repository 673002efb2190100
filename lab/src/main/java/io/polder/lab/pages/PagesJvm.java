package io.polder.lab.pages;

import io.polder.memory.ProcessMaps;

import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Main class of a measuring JVM: the program on one contender, once.
 *
 * <p>The code is warmed up on a smaller heap, on pages of its own: by the program, and by taking
 * and giving pages alone, because there are not enough of them in a program for the compilers.
 *
 * <p>Arguments: contender, seed, {@link Effort}. Output: {@link Recording}.
 */
final class PagesJvm {
    /** Arguments in front of the effort. */
    private static final int OWN_ARGS = 2;

    private PagesJvm() {}

    /** See the class. */
    public static void main(String[] args) throws InterruptedException {
        // Nobody else may write to the parent.
        PrintStream parent = System.out;
        System.setOut(System.err);
        List<String> words = List.of(args);
        Contender contender = Contender.withId(words.get(0));
        long seed = Long.parseLong(words.get(1));
        Effort effort = Effort.parse(words.subList(OWN_ARGS, words.size()));
        new WarmUp(contender, seed).run(effort.warmup());
        System.gc();
        long collections = collections();
        parent.println(Recording.baseLine(ProcessMaps.count().orElse(0)));
        try (PageSource source = contender.open(effort.program().budgetBytes())) {
            WorkloadRun run =
                    new WorkloadRun(
                            contender,
                            effort.program(),
                            source,
                            seed,
                            point -> parent.println(Recording.pointLine(point)));
            Outcome outcome = run.run();
            Recording.writeEnd(outcome, collections() - collections, parent::println);
        }
        parent.flush();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }
}
