package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Sampler;

import java.time.Duration;
import java.util.concurrent.ExecutionException;

/**
 * A workload over and over on the same memory: what it costs when code and memory are warm, and
 * nothing is given back to the system.
 *
 * <pre>{@code
 *  used   /\  /\    /\  /\           /\  /\
 *        /  \/  \  /  \/  \   ...   /  \/  \
 *       /        \/        \_     _/        \_
 *       |  cycle  |  cycle  |     |  cycle  |
 *       |<-- warm up, cycles -->| |<-- CYCLES, each a sample -->|
 * }</pre>
 *
 * <p>A cycle is what a {@link WorkloadRun} does, without its waits, and without asking for memory.
 */
final class SteadyRun {
    /** Cycles that are measured. Odd, so that one of them is the median. */
    static final int CYCLES = 5;

    /** In the first cycle memory is new, in the second it is used again for the first time. */
    private static final int WARM_CYCLES = 2;

    private final Plan plan;
    private final OwnedMemory memory;
    private final Paint paint;
    private final TimedWork work;
    private final Sampler sampler;

    /**
     * Creates a run.
     *
     * @param threads as many threads as the workload has
     * @param memory where nobody has an owner yet
     * @param sampler receives a sample of each cycle that is measured
     */
    SteadyRun(
            Workload workload,
            ClassCatalogue catalogue,
            TimedThreads threads,
            OwnedMemory memory,
            Sampler sampler) {
        this.plan = new Plan(workload);
        this.memory = memory;
        this.paint = new Paint(workload.loadersEver());
        this.work = new TimedWork(threads, new Loaders(workload, catalogue, memory, paint));
        this.sampler = sampler;
    }

    /**
     * Runs the workload again and again.
     *
     * @param warmup time of cycles that are not measured; it may become longer
     * @return bytes whose content was verified
     * @throws AssertionError if memory lost what was written
     */
    long run(Duration warmup) throws ExecutionException, InterruptedException {
        long verified = 0;
        long start = System.nanoTime();
        for (int warm = 0;
                warm < WARM_CYCLES || System.nanoTime() - start < warmup.toNanos();
                warm++) {
            verified += cycle();
        }
        for (int i = 0; i < CYCLES; i++) {
            work.restart();
            verified += cycle();
            sampler.point(work.sample(Stage.STEADY, memory.committedBytes()));
        }
        return verified;
    }

    private long cycle() throws ExecutionException, InterruptedException {
        work.run(plan.load(), 0, 1);
        long verified = paint.verify();
        for (Phase phase : plan.free()) {
            work.run(phase, 0, 1);
        }
        if (plan.workload().reload()) {
            work.run(plan.reload(), 0, 1);
            verified += paint.verify();
        }
        work.run(plan.drain(), 0, 1);
        return verified;
    }
}
