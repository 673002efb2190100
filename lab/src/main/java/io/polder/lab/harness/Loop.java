package io.polder.lab.harness;

/** What a thread of a {@link WorkerThreads} does over and over. */
public interface Loop {
    /** A few microseconds of it; returns how many operations that were. */
    int pass();

    /** Makes what a thread needs, in that thread. */
    @FunctionalInterface
    interface Maker<K> {
        /**
         * The loop of a kind.
         *
         * @param thread 0 for the first
         */
        Loop make(K kind, int thread);
    }
}
