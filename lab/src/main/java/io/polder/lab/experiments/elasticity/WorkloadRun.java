package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.Wire;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * One run of a workload on a contender's memory.
 *
 * <p>Phases are cut into slices. Between two slices all threads wait, time stands still, and a
 * sample is taken. Memory is mapped when a turn has been reached.
 */
final class WorkloadRun {
    private static final Set<Stage> MAPPED = EnumSet.of(Stage.PEAK, Stage.TRIMMED);

    private final Workload workload;
    private final OwnedMemory memory;
    private final Paint paint;
    private final TimedWork work;
    private final Sampler sampler;

    /**
     * Creates a run.
     *
     * @param threads as many threads as the workload has
     * @param memory where nobody has an owner yet
     * @param sampler receives samples and maps
     */
    WorkloadRun(
            Workload workload,
            ClassCatalogue catalogue,
            TimedThreads threads,
            OwnedMemory memory,
            Sampler sampler) {
        this.workload = workload;
        this.memory = memory;
        this.paint = new Paint(workload.loadersEver());
        this.work = new TimedWork(threads, new Loaders(workload, catalogue, memory, paint));
        this.sampler = sampler;
    }

    /**
     * Runs the workload to its end.
     *
     * @param points samples on each way up and down, beside those at the turns
     * @param rest wait in the valley and at the end
     * @return bytes whose content was verified
     * @throws AssertionError if memory lost what was written
     */
    long run(int points, Duration rest) throws ExecutionException, InterruptedException {
        Plan plan = new Plan(workload);
        phases(List.of(plan.load()), Stage.LOADING, points);
        sample(Stage.PEAK);
        long verified = paint.verify();
        phases(plan.free(), Stage.FREEING, points);
        Thread.sleep(rest);
        sample(Stage.VALLEY);
        giveBack();
        sample(Stage.TRIMMED);
        verified += paint.verify();
        if (workload.reload()) {
            phases(List.of(plan.reload()), Stage.RELOADING, points);
            sample(Stage.AGAIN);
            verified += paint.verify();
        }
        phases(List.of(plan.drain()), Stage.DRAINING, points);
        Thread.sleep(rest);
        sample(Stage.EMPTY);
        giveBack();
        sample(Stage.END);
        return verified;
    }

    private void phases(List<Phase> phases, Stage stage, int points)
            throws ExecutionException, InterruptedException {
        int slices = Math.max(1, points / phases.size());
        for (Phase phase : phases) {
            for (int slice = 0; slice < slices; slice++) {
                work.run(phase, slice, slices);
                sample(stage);
            }
        }
    }

    private void giveBack() throws ExecutionException, InterruptedException {
        work.giveBack(memory::giveBack);
    }

    private void sample(Stage stage) {
        sampler.point(work.sample(stage, memory.committedBytes()));
        if (MAPPED.contains(stage)) {
            memory.map().ifPresent(map -> sampler.text(Recording.map(stage), Wire.line(map)));
        }
    }
}
