package io.polder.stress.soak;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.OsCallException;

/** What a program has to expect where limits are hit and the system refuses. */
final class Refusals {
    private Refusals() {}

    /** Whether a pool says that its memory is exhausted, and not the JVM. */
    static boolean isOfPool(OutOfMemoryError error) {
        Throwable cause = error.getCause();
        return cause instanceof MemoryExhaustedException || cause instanceof OsCallException;
    }
}
