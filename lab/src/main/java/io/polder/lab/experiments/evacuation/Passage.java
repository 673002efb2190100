package io.polder.lab.experiments.evacuation;

/** A way into a gate and out of it, as the contenders have. Threads that are inside are counted. */
interface Passage {
    /** Enters; returns what {@link #end} wants, 0 if the gate is closed. */
    long begin();

    /** Leaves. */
    void end(long section);

    /** Checks that nobody is inside. */
    void verifyEmpty();
}
