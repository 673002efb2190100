package io.polder.lab.experiments.elasticity;

import java.util.List;

/**
 * A part of a workload in which memory is only taken, or only given back, cut into steps. A step
 * of a thread touches loaders of that thread only.
 */
sealed interface Phase {
    /** How many steps a thread has. */
    int steps(int thread);

    /** Does one step. */
    void run(int thread, int step, Loaders loaders);

    /** Whether loaders get memory, rather than give it back. */
    boolean loads();

    /**
     * All generations are loaded: the loaders of a thread take turns until each has its classes.
     *
     * @param firstLoader of the wave
     */
    record Load(Workload workload, int firstLoader) implements Phase {
        @Override
        public int steps(int thread) {
            return loadersPerThread() * workload.turns();
        }

        @Override
        public void run(int thread, int step, Loaders loaders) {
            int turn = step / loadersPerThread();
            int loader = firstLoader + thread + workload.threads() * (step % loadersPerThread());
            int from = turn * workload.classesPerTurn();
            int to = Math.min(from + workload.classesPerTurn(), workload.classes());
            loaders.load(thread, loader, from, to);
        }

        @Override
        public boolean loads() {
            return true;
        }

        private int loadersPerThread() {
            return workload.loadersPerWave() / workload.threads();
        }
    }

    /**
     * Generations die, one after the other; with several threads, each by its own thread.
     *
     * @param generations in this order
     */
    record Unload(Workload workload, List<Generation> generations) implements Phase {
        /** Copies the list. */
        public Unload {
            generations = List.copyOf(generations);
        }

        @Override
        public int steps(int thread) {
            return Math.toIntExact(
                    generations.stream().filter(generation -> isOf(thread, generation)).count()
                            * workload.loaders());
        }

        @Override
        public void run(int thread, int step, Loaders loaders) {
            int skip = step / workload.loaders();
            for (Generation generation : generations) {
                if (isOf(thread, generation) && skip-- == 0) {
                    int place = step % workload.loaders();
                    loaders.unload(
                            thread,
                            generation.firstLoader
                                    + generation.number
                                    + workload.generations() * place);
                    return;
                }
            }
            throw new IllegalArgumentException(
                    "a thread has only so many steps: step=" + step + ", steps=" + steps(thread));
        }

        @Override
        public boolean loads() {
            return false;
        }

        private boolean isOf(int thread, Generation generation) {
            return generation.number % workload.threads() == thread;
        }
    }

    /**
     * A generation of a wave.
     *
     * @param firstLoader of the wave
     * @param number from zero
     */
    record Generation(int firstLoader, int number) {}
}
