package io.polder.lab.experiments.elasticity;

import io.polder.PoolMap;

import java.util.Optional;

/**
 * Memory with owners: what a contender is asked to do.
 *
 * <p>An owner is used by one thread at a time, always the same one; different owners by different
 * threads at once.
 */
interface OwnedMemory extends AutoCloseable {
    /** Alignment of all blocks. */
    int ALIGNMENT = MetadataModel.WORD_BYTES;

    /** An owner comes; it has no memory. */
    void open(int owner);

    /**
     * Allocates a block for an owner that was opened.
     *
     * @return its address, a multiple of {@link #ALIGNMENT}
     */
    long allocate(int owner, long bytes);

    /** An owner goes, and its blocks with it. */
    void close(int owner);

    /**
     * Gives free memory back to the operating system; called by every thread that has owners. Does
     * nothing where the contender decides for itself, as malloc does.
     *
     * @param thread number of the calling thread
     */
    default void giveBack(int thread) {}

    /** Bytes committed, as far as the contender knows; negative if it does not. */
    default long committedBytes() {
        return -1;
    }

    /** Its memory, piece by piece, if it knows. */
    default Optional<PoolMap> map() {
        return Optional.empty();
    }

    /** Ends the contender; no owner is open. */
    @Override
    default void close() {}
}
