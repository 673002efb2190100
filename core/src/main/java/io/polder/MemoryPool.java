package io.polder;

import java.lang.foreign.Arena;

/** Native memory for arenas. */
public final class MemoryPool {
    private MemoryPool() {}

    /** Opens a confined arena. */
    public static Arena ofConfined() {
        return Arena.ofConfined();
    }

    /** Opens a shared arena. */
    public static Arena ofShared() {
        return Arena.ofShared();
    }
}
