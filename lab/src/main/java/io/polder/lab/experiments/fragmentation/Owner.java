package io.polder.lab.experiments.fragmentation;

/** Has blocks that all end with it. */
interface Owner {
    /** No address: there was no room. */
    long NO_ROOM = -1;

    /**
     * Allocates a block.
     *
     * @return its address, or {@link #NO_ROOM}
     */
    long allocate(long bytes);

    /** Gives back all that it has. */
    void close();
}
