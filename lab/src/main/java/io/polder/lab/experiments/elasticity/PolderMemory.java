package io.polder.lab.experiments.elasticity;

import io.polder.MemoryPool;
import io.polder.PoolMap;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** Polder: a pool of its own, and a confined arena for each owner. */
final class PolderMemory implements OwnedMemory {
    /** Longer than any run. */
    private static final Duration NO_DECAY = Duration.ofDays(1);

    private final MemoryPool pool;
    private final @Nullable Arena[] arenas;

    /** Creates a contender for so many owners. */
    PolderMemory(int owners) {
        this(owners, MemoryPool.builder());
    }

    private PolderMemory(int owners, MemoryPool.Builder builder) {
        pool = builder.name("elasticity").build();
        arenas = new Arena[owners];
    }

    /** A contender that gives nothing back by itself. */
    static PolderMemory keeping(int owners) {
        return new PolderMemory(owners, MemoryPool.builder().decay(NO_DECAY));
    }

    @Override
    public void open(int owner) {
        arenas[owner] = pool.openConfined();
    }

    @Override
    public long allocate(int owner, long bytes) {
        return arena(owner).allocate(bytes, ALIGNMENT).address();
    }

    @Override
    public void close(int owner) {
        arena(owner).close();
        arenas[owner] = null;
    }

    @Override
    public void giveBack(int thread) {
        // A thread that calls it also gives back what this thread keeps at hand.
        pool.trim();
    }

    @Override
    public long committedBytes() {
        return pool.stats().committedBytes();
    }

    @Override
    public Optional<PoolMap> map() {
        return Optional.of(pool.map());
    }

    @Override
    public void close() {
        pool.close();
    }

    private Arena arena(int owner) {
        return Objects.requireNonNull(arenas[owner], "an owner is opened before it allocates");
    }
}
