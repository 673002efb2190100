package io.polder.lab.elasticity;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.Objects;

/** Polder: a pool of its own, and a confined arena for each owner. */
final class PolderMemory implements OwnedMemory {
    private final MemoryPool pool = MemoryPool.builder().name("elasticity").build();
    private final @Nullable Arena[] arenas;

    /** Creates a contender for so many owners. */
    PolderMemory(int owners) {
        arenas = new Arena[owners];
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
        // Whoever calls it also gives back what this thread keeps at hand.
        pool.trim();
    }

    @Override
    public long committedBytes() {
        return pool.stats().committedBytes();
    }

    @Override
    public String map() {
        return pool.map();
    }

    @Override
    public void close() {
        pool.close();
    }

    private Arena arena(int owner) {
        return Objects.requireNonNull(arenas[owner], "an owner is opened before it allocates");
    }
}
