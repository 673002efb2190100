package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of the {@link BootstrapArenas}: an arena of the JDK's, and how much it has.
 *
 * <p>All checks are the JDK's. What is counted is counted after the JDK has allocated it. The list
 * knows the count and not the arena, which knows its thread, and what is to be done when it is
 * closed: so one that is forgotten keeps no more alive than one of the JDK's.
 *
 * <p>As thread-safe as the arena inside.
 */
final class BootstrapArena implements Arena {
    private final Arena jdk;
    private final BootstrapArenas list;
    private final int number;

    /** How much it has, as the list knows it as long as this is open. */
    private final AtomicLong bytes;

    /**
     * Counts for an arena that has nothing yet.
     *
     * @param jdk the arena
     * @param list where it is counted while it is open
     * @param number its place there
     * @param bytes what is counted there
     */
    BootstrapArena(Arena jdk, BootstrapArenas list, int number, AtomicLong bytes) {
        this.jdk = jdk;
        this.list = list;
        this.number = number;
        this.bytes = bytes;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment memory = jdk.allocate(byteSize, byteAlignment);
        bytes.addAndGet(byteSize);
        return memory;
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
