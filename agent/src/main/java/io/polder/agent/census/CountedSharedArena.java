package io.polder.agent.census;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A shared arena that is counted: the arena inside does everything, and throws first.
 *
 * <p><b>Threads.</b> Any thread allocates and closes: both sums are added to atomically, and the
 * thread that closes counts in its own row. An allocation that another thread has not yet added
 * when the arena is closed is not counted.
 */
final class CountedSharedArena implements Arena {
    private static final VarHandle BYTES = field("bytes", long.class);
    private static final VarHandle ALLOCATIONS = field("allocations", long.class);
    private static final VarHandle COUNTED = field("counted", boolean.class);

    private final Arena arena;
    private final Run run;
    private final int site;
    private final int weight;
    private final long openedNanos;

    @SuppressWarnings("unused") // by its VarHandle
    private volatile long bytes;

    @SuppressWarnings("unused") // by its VarHandle
    private volatile long allocations;

    @SuppressWarnings("unused") // by its VarHandle
    private volatile boolean counted;

    /**
     * Counts the arena as opened.
     *
     * @param arena what it does
     * @param run where it is counted
     * @param site under which call site
     */
    CountedSharedArena(Arena arena, Run run, int site) {
        this.arena = arena;
        this.run = run;
        this.site = site;
        this.weight = run.row(site).opened();
        this.openedNanos = weight == 0 ? 0 : System.nanoTime();
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(CountedSharedArena.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment segment = arena.allocate(byteSize, byteAlignment);
        countAllocation(byteSize);
        return segment;
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        MemorySegment segment = arena.allocate(byteSize);
        countAllocation(byteSize);
        return segment;
    }

    private void countAllocation(long byteSize) {
        long before = (long) BYTES.getAndAdd(this, byteSize);
        long _ = (long) ALLOCATIONS.getAndAdd(this, 1L);
        run.row(site).allocated(before, before + byteSize);
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    @Override
    public void close() {
        boolean wasAlive = arena.scope().isAlive();
        try {
            arena.close();
        } catch (Throwable failure) {
            if (wasAlive && !arena.scope().isAlive()) {
                count(); // a cleanup action threw; or another thread was first, and counts or did
            }
            throw failure;
        }
        count();
    }

    private void count() {
        if ((boolean) COUNTED.getAndSet(this, true)) {
            return;
        }
        Row row = run.row(site);
        row.closed(bytes, allocations);
        if (weight != 0) {
            row.lived(System.nanoTime() - openedNanos, weight);
        }
    }
}
