package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Words of native memory, by address, in the memory order that the name says; plain where it says
 * none, and volatile where the word is compared or added to.
 */
final class RawAccess {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private RawAccess() {}

    /** A number of 1, 4 or 8 bytes, aligned or not; that of an aligned address is not torn. */
    static long get(long address, int bytes) {
        return switch (bytes) {
            case Byte.BYTES -> ADDRESS_SPACE.get(ValueLayout.JAVA_BYTE, address);
            case Integer.BYTES -> ADDRESS_SPACE.get(ValueLayout.JAVA_INT_UNALIGNED, address);
            default -> ADDRESS_SPACE.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
        };
    }

    /** Likewise. */
    static void set(long address, int bytes, long value) {
        switch (bytes) {
            case Byte.BYTES -> ADDRESS_SPACE.set(ValueLayout.JAVA_BYTE, address, (byte) value);
            case Integer.BYTES ->
                    ADDRESS_SPACE.set(ValueLayout.JAVA_INT_UNALIGNED, address, (int) value);
            default -> ADDRESS_SPACE.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
        }
    }

    static long getAcquire(long address) {
        return (long) WORD.getAcquire(ADDRESS_SPACE, address);
    }

    static void setRelease(long address, long word) {
        WORD.setRelease(ADDRESS_SPACE, address, word);
    }

    static boolean compareAndSet(long address, long expected, long word) {
        return WORD.compareAndSet(ADDRESS_SPACE, address, expected, word);
    }

    static boolean compareAndSetInt(long address, int expected, int value) {
        return INT.compareAndSet(ADDRESS_SPACE, address, expected, value);
    }

    static long getAndAdd(long address, long delta) {
        return (long) WORD.getAndAdd(ADDRESS_SPACE, address, delta);
    }

    static int getAndAddInt(long address, int delta) {
        return (int) INT.getAndAdd(ADDRESS_SPACE, address, delta);
    }
}
