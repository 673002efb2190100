package io.polder.lab.experiments.replay;

import com.sun.management.OperatingSystemMXBean;

import io.polder.MemoryPool;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.InputException;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

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
 * <p>Samples: see {@link ReplayResult}.
 */
final class ReplayJvm {
    private static final int FAILURE = 1;

    private ReplayJvm() {}

    /**
     * What it is told.
     *
     * @param parts files of the log
     */
    record Task(Survey survey, List<String> parts) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ReplayJvm::run);
    }

    private static void run(Task task, Sampler sampler) {
        MetaspaceLog log = new MetaspaceLog(task.parts().stream().map(Path::of).toList());
        try {
            run(task.survey(), log, _ -> {}, share -> sampler.progress(share / 2));
            long nanos =
                    run(
                            task.survey(),
                            log,
                            sampler::point,
                            share -> sampler.progress((1 + share) / 2));
            sampler.count(ReplayResult.EVENT_NANOS, nanos);
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
            if (!pool.stats().arenas().pooled()) {
                throw new ExperimentException(
                        "Polder's arenas are not pooled here: " + pool.stats().reason(), null);
            }
            return new Replay(survey, pool, samples, progress).run(log);
        }
    }
}
