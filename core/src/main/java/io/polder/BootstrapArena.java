package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of the {@link BootstrapArenas}: an arena of the JDK's, and how much it has.
 *
 * <p>All checks are the JDK's. Memory is counted after the JDK has allocated it, until the arena is
 * closed. A thread that allocates while another one closes it looks again afterwards, so that one
 * of the two takes all back.
 *
 * <p>As thread-safe as the arena inside.
 */
final class BootstrapArena implements Arena {
    private final Arena jdk;
    private final AtomicLong ofAll;
    private final AtomicLong own = new AtomicLong();

    /**
     * Counts for an arena that has nothing yet.
     *
     * @param jdk the arena
     * @param ofAll what it and others have together
     */
    BootstrapArena(Arena jdk, AtomicLong ofAll) {
        this.jdk = jdk;
        this.ofAll = ofAll;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment memory = jdk.allocate(byteSize, byteAlignment);
        ofAll.addAndGet(byteSize); // first: what is taken back is counted
        own.addAndGet(byteSize);
        takeBackIfClosed(); // by another thread, meanwhile
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
            takeBackIfClosed(); // even if a cleanup action threw
        }
    }

    private void takeBackIfClosed() {
        if (!jdk.scope().isAlive()) {
            ofAll.addAndGet(-own.getAndSet(0));
        }
    }
}
