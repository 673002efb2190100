package io.polder.lab.experiments.replay;

import com.sun.management.OperatingSystemMXBean;

import io.polder.MemoryPool;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.InputException;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;

/**
 * Main class of the JVM that replays a log. A JVM of its own, with a heap that does not grow, so
 * that what its resident set gains is the pool's. The log is replayed twice, each time on a new
 * pool: the first time warms the JVM up, whose compilers take tens of MiB, and is not looked at.
 *
 * <p>Arguments: {@link Survey}, the parts of the log. Output: {@link ReplayResult}.
 */
final class ReplayJvm {
    private static final int FAILURE = 1;

    private ReplayJvm() {}

    /** See the class. */
    public static void main(String[] args) {
        // Nobody else may write to the parent.
        PrintStream parent = System.out;
        System.setOut(System.err);
        List<String> words = List.of(args);
        Survey survey = Survey.parse(words.subList(0, Survey.WORDS));
        MetaspaceLog log =
                new MetaspaceLog(
                        words.subList(Survey.WORDS, words.size()).stream().map(Path::of).toList());
        try {
            run(survey, log, _ -> {}, share -> show(parent, share / 2));
            long nanos =
                    run(
                            survey,
                            log,
                            sample -> parent.println(ReplayResult.sampleLine(sample)),
                            share -> show(parent, (1 + share) / 2));
            parent.println(ReplayResult.doneLine(nanos));
            parent.flush();
        } catch (InputException e) {
            System.err.println("The log changed since it was read first. " + e.getMessage());
            System.exit(FAILURE);
        } catch (ExperimentException e) {
            System.err.println(e.getMessage());
            System.exit(FAILURE);
        } catch (OutOfMemoryError e) {
            System.err.println("No memory for what the log requests. " + e.getMessage());
            System.exit(FAILURE);
        }
    }

    private static long run(
            Survey survey, MetaspaceLog log, Consumer<Sample> samples, DoubleConsumer progress)
            throws ExperimentException {
        MemoryPool.Builder builder = MemoryPool.builder().name("replay");
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            // More than the machine has would end in something worse than an error.
            builder.committedMaxBytes(system.getTotalMemorySize());
        }
        try (MemoryPool pool = builder.build()) {
            if (!pool.stats().pooled()) {
                throw new ExperimentException(
                        "Polder's arenas are not pooled here: " + pool.stats().reason(), null);
            }
            return new Replay(survey, pool, samples, progress).run(log);
        }
    }

    private static void show(PrintStream parent, double share) {
        parent.println(ReplayResult.progressLine(share));
    }
}
