package io.polder.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The kernel's {@code struct iovec}: one range of a call on many.
 *
 * <pre>{@code
 * 0          8          16
 * +----------+----------+
 * | address  | bytes    |
 * +----------+----------+
 * }</pre>
 */
final class IovecLayout {

    /** Two words of 64 bits, on both architectures. */
    static final long BYTES = 16;

    static final long ALIGNMENT = 8;

    /** The kernel's {@code UIO_MAXIOV}: a call on more ranges than these is refused. */
    static final int COUNT_MAX = 1024;

    private static final long ADDRESS_OFFSET = 0;
    private static final long SIZE_OFFSET = 8;

    private IovecLayout() {}

    static void set(MemorySegment array, int index, long address, long bytes) {
        array.set(ValueLayout.JAVA_LONG, index * BYTES + ADDRESS_OFFSET, address);
        array.set(ValueLayout.JAVA_LONG, index * BYTES + SIZE_OFFSET, bytes);
    }
}
