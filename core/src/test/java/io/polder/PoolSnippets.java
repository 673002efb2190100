package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The examples of the Javadoc and the README, compiled. */
final class PoolSnippets {
    private PoolSnippets() {}

    static String greeting() {
        // @start region="greeting"
        try (Arena arena = MemoryPool.ofConfined()) {
            MemorySegment greeting = arena.allocateFrom("Hello from below sea level");
            return greeting.getString(0);
        }
        // @end
    }
}
