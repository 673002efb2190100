package io.polder.lab.elasticity;

/** Hears what a run of a workload comes to while it goes on. */
interface Witness {
    /** A sample was taken. */
    void sample(Sample sample);

    /**
     * A map was drawn, at a stage of which a sample was taken before.
     *
     * @param map of the contender's memory, as {@code MemoryPool.map()} writes it
     */
    default void map(Stage stage, String map) {
        // Who only wants figures.
    }
}
