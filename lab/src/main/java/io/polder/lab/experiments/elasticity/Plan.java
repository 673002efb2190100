package io.polder.lab.experiments.elasticity;

import io.polder.lab.experiments.elasticity.Phase.Generation;
import io.polder.lab.experiments.elasticity.Phase.Load;
import io.polder.lab.experiments.elasticity.Phase.Unload;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The phases of a workload.
 *
 * <p>Reloaded workloads free the youngest generations first and keep the oldest, as the program did
 * on which arenas were first compared with malloc; the others free the oldest first.
 */
record Plan(Workload workload) {
    /** Loads all generations; on the way to the peak. */
    Phase load() {
        return new Load(workload, 0);
    }

    /** Frees all generations but one, each a phase; on the way to the valley. */
    List<Phase> free() {
        List<Phase> phases = new ArrayList<>();
        for (int number : dying()) {
            phases.add(new Unload(workload, List.of(new Generation(0, number))));
        }
        return phases;
    }

    /** Loads all generations again, beside the one that is left. */
    Phase reload() {
        return new Load(workload, workload.loadersPerWave());
    }

    /** Frees all that live, the old one first. */
    Phase drain() {
        List<Generation> living = new ArrayList<>();
        living.add(new Generation(0, survivor()));
        if (workload.reload()) {
            for (int number = 0; number < workload.generations(); number++) {
                living.add(new Generation(workload.loadersPerWave(), number));
            }
        }
        return new Unload(workload, living);
    }

    private List<Integer> dying() {
        List<Integer> oldestFirst =
                IntStream.range(0, workload.generations())
                        .filter(number -> number != survivor())
                        .boxed()
                        .toList();
        return workload.reload() ? oldestFirst.reversed() : oldestFirst;
    }

    private int survivor() {
        return workload.reload() ? 0 : workload.generations() - 1;
    }
}
