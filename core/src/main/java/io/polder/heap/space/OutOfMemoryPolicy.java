package io.polder.heap.space;

/** What is done when there is no room for the copy of an object that is to be evacuated. */
public enum OutOfMemoryPolicy {
    /** The object is pinned where it is until the cycle ends; nobody waits, and others go on. */
    PIN,

    /**
     * The evacuation gate is closed: nobody copies any more, the thread that failed waits for those
     * who still do, and the cycle ends early.
     */
    CLOSE
}
