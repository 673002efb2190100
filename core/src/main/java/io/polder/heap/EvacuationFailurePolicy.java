package io.polder.heap;

/**
 * What a heap does when there is no room for the copy of an object that compaction wants to move.
 * Nothing is lost either way; they differ in who waits.
 */
public enum EvacuationFailurePolicy {
    /**
     * The object is pinned: it stays where it is until the compaction cycle ends. Nobody waits, and
     * other objects are copied as far as there is room.
     */
    PIN,

    /**
     * Nobody copies any more, and the cycle ends early: the thread that found no room waits for
     * those that are copying, and so do threads that want to change an object that was to be moved.
     * That is how the Shenandoah collector does it. Every copy costs a pass through a gate.
     */
    CLOSE
}
