package io.polder.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The kernel's {@code struct rlimit64}: a limit on what a process may have.
 *
 * <pre>{@code
 * 0          8          16
 * +----------+----------+
 * | soft     | hard     |      unsigned; all ones is no limit
 * +----------+----------+
 * }</pre>
 */
final class RlimitLayout {

    static final long BYTES = 16;

    static final long ALIGNMENT = 8;

    private static final long SOFT_OFFSET = 0;

    private RlimitLayout() {}

    /** The limit that holds now; {@link Long#MAX_VALUE} if it is none, or beyond that. */
    static long soft(MemorySegment limit) {
        long bytes = limit.get(ValueLayout.JAVA_LONG, SOFT_OFFSET);
        return bytes < 0 ? Long.MAX_VALUE : bytes;
    }
}
