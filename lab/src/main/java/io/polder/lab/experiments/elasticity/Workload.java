package io.polder.lab.experiments.elasticity;

import io.polder.tools.html.Term;

import java.util.List;

/**
 * Class loaders that come in generations, and go generation by generation. One loader is one owner
 * of memory, one class the blocks of {@link ClassBlocks}.
 *
 * <pre>{@code
 *  used          peak                again
 *   |            /\                    /\
 *   |           /  \                  /  \           load: all loaders, loader i of
 *   |  loading /    \ freeing        /    \          generation i mod generations, in turn
 *   |         /      \              /      \         valley: one generation is left
 *   |        /        \_ valley ___/        \        again: all generations anew, if reloaded
 *   |_ base /                                \_ end
 *   +---------------------------------------------- time
 * }</pre>
 *
 * @param id part of its metrics' names
 * @param generations at least two
 * @param loaders of each generation
 * @param classes of each loader
 * @param interleave share of its classes that a loader loads before it is the next one's turn, at
 *     least one class; 1 is all at once
 * @param threads 1, or {@code generations}: each thread then loads and frees a generation
 * @param reload whether all is loaded again in the valley
 * @param valleyGoal committed / used in the valley, to be reached
 */
record Workload(
        String id,
        int generations,
        int loaders,
        int classes,
        double interleave,
        int threads,
        boolean reload,
        double valleyGoal) {

    /** All workloads, in the order of the table. */
    static final List<Workload> ALL =
            List.of(
                    new Workload("5x80x100", 5, 80, 100, 1, 1, true, 1.03),
                    new Workload("threads5", 5, 80, 100, 1, 5, true, 1.05),
                    new Workload("5x8000x1", 5, 8000, 1, 1, 1, true, 1.35),
                    new Workload("5x5000x3", 5, 5000, 3, 1, 1, true, 1.15),
                    new Workload("10x1000x2", 10, 1000, 2, 0.4, 1, false, 1.25),
                    new Workload("10x250x8", 10, 250, 8, 0.4, 1, false, 1.10),
                    new Workload("10x5x400", 10, 5, 400, 0.01, 1, false, 1.05));

    /**
     * Finds a workload.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    static Workload withId(String id) {
        return ALL.stream()
                .filter(workload -> workload.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such workload: id=" + id));
    }

    /** What it is, for people. */
    String inWords() {
        return generations
                + " generations of "
                + (loaders == 1 ? "a loader" : loaders + " loaders")
                + " with "
                + (classes == 1 ? "a class" : classes + " classes")
                + " each"
                + (threads == 1 ? "." : ", one thread a generation.");
    }

    /** Its name, and what it is. */
    Term term() {
        return new Term(
                id,
                inWords()
                        + (interleave == 1
                                ? classes == 1 ? "" : " A loader loads all its classes at once."
                                : " Loaders load in turns, %s at a time."
                                        .formatted(
                                                classesPerTurn() == 1
                                                        ? "a class"
                                                        : classesPerTurn() + " classes"))
                        + (reload ? " In the valley all is loaded again." : "")
                        + " A loader is one owner of memory.");
    }

    /** The same with fewer loaders of each generation, but at least one. */
    Workload scaledDown(int divisor) {
        return new Workload(
                id,
                generations,
                Math.max(1, loaders / divisor),
                classes,
                interleave,
                threads,
                reload,
                valleyGoal);
    }

    /** Loaders of all generations that are loaded together. */
    int loadersPerWave() {
        return generations * loaders;
    }

    /** All loaders there ever are; those of the second wave have the higher numbers. */
    int loadersEver() {
        return reload ? 2 * loadersPerWave() : loadersPerWave();
    }

    /** Classes that a loader loads when it is its turn. */
    int classesPerTurn() {
        return Math.max(1, (int) (classes * interleave));
    }

    /** Turns until a loader has all its classes. */
    int turns() {
        return Math.ceilDiv(classes, classesPerTurn());
    }
}
