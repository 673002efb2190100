package io.polder.lab.experiments.blocks;

/** Where blocks come from: a contender in its own JVM. Thread-safe. */
interface BlockSource extends AutoCloseable {
    /** Allocates a block; its address. */
    long allocate(long bytes);

    /** Frees a block, whichever thread allocated it. */
    void free(long address);

    /** Changes the size of a block; where it is then. */
    long reallocate(long address, long bytes);

    /** Gives free memory back to the system. */
    void giveBack();

    /** Bytes committed, if the contender knows; negative otherwise. */
    default long committedBytes() {
        return -1;
    }

    /** Ends the contender, all of whose blocks are free. */
    @Override
    default void close() {}
}
