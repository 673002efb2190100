package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One of the {@link BootstrapArenas}: an arena of the JDK's, and how much it has.
 *
 * <p>All checks are the JDK's. What is counted is counted after the JDK has allocated it, by a
 * store that nothing comes in between.
 *
 * <p>As thread-safe as the arena inside; whoever counts may be another thread.
 */
final class BootstrapArena implements Arena {
    private final Arena jdk;
    private final BootstrapArenas list;
    private final int number;

    /** Written with the monitor held. */
    private volatile long bytes;

    /**
     * Counts for an arena that has nothing yet.
     *
     * @param jdk the arena
     * @param list where it is counted while it is open
     * @param number its place there
     */
    BootstrapArena(Arena jdk, BootstrapArenas list, int number) {
        this.jdk = jdk;
        this.list = list;
        this.number = number;
    }

    /** How much it has; nothing once it is closed. */
    long bytes() {
        return jdk.scope().isAlive() ? bytes : 0;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        synchronized (this) {
            MemorySegment memory = jdk.allocate(byteSize, byteAlignment);
            bytes = bytes + byteSize;
            return memory;
        }
    }

    @Override
    public MemorySegment.Scope scope() {
        return jdk.scope();
    }

    @Override
    public void close() {
        try {
            jdk.close();
        } finally {
            if (!jdk.scope().isAlive()) { // a cleanup action threw
                list.closed(number);
            }
        }
    }
}
