package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.TimedThreads.Took;

import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;

/** The phases of a workload, and what they took: loading, and all the rest. */
final class TimedWork {
    private final TimedThreads threads;
    private final Loaders loaders;
    private Took load = Took.NOTHING;
    private Took unload = Took.NOTHING;

    /** Creates work that took nothing yet. */
    TimedWork(TimedThreads threads, Loaders loaders) {
        this.threads = threads;
        this.loaders = loaders;
    }

    /** Does a slice of a phase; all slices together are the phase. */
    void run(Phase phase, int slice, int slices) throws ExecutionException, InterruptedException {
        Took took =
                threads.run(
                        thread -> {
                            int steps = phase.steps(thread);
                            int end = (int) ((slice + 1L) * steps / slices);
                            for (int step = (int) ((long) slice * steps / slices);
                                    step < end;
                                    step++) {
                                phase.run(thread, step, loaders);
                            }
                        });
        if (phase.loads()) {
            load = load.plus(took);
        } else {
            unload = unload.plus(took);
        }
    }

    /** Every thread gives memory back, which counts as unloading. */
    void giveBack(IntConsumer giving) throws ExecutionException, InterruptedException {
        unload = unload.plus(threads.run(giving));
    }

    /** Forgets what was taken so far. */
    void restart() {
        load = Took.NOTHING;
        unload = Took.NOTHING;
    }

    /** Looks at this process, between two slices. */
    Sample sample(Stage stage, long committedBytes) {
        return Sample.take(
                stage,
                load.wallNanos(),
                unload.wallNanos(),
                load.plus(unload).cpuNanos(),
                loaders.usedBytes(),
                committedBytes);
    }
}
