package io.polder.stress.soak;

/** Memory that a request left behind, with what was written to it, for another thread to end. */
interface Held {
    /**
     * Checks every byte, and gives the memory back.
     *
     * @throws AssertionError if something else is there than was written
     */
    void end();
}
