package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Words of native memory, by address, in the memory order that the name says. */
final class RawAccess {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private RawAccess() {}

    static long getAcquire(long address) {
        return (long) WORD.getAcquire(ADDRESS_SPACE, address);
    }

    static void setRelease(long address, long word) {
        WORD.setRelease(ADDRESS_SPACE, address, word);
    }

    static boolean compareAndSet(long address, long expected, long word) {
        return WORD.compareAndSet(ADDRESS_SPACE, address, expected, word);
    }
}
