package io.polder.lab.experiments.fragmentation;

import io.polder.MemoryPool;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.report.PoolAreas;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Span;

import java.lang.foreign.Arena;
import java.util.List;

/** Polder itself: a pool that may commit no more than the budget, an arena for each owner. */
final class PolderContender implements Contender {
    static final String ID = "polder";

    private final MemoryPool pool;

    /**
     * Creates the pool.
     *
     * @throws ExperimentException if arenas are not pooled here, so that no limit holds
     */
    PolderContender(long budgetBytes) throws ExperimentException {
        pool = MemoryPool.builder().name("fragmentation").committedMaxBytes(budgetBytes).build();
        if (!pool.stats().arenas().pooled()) {
            throw new ExperimentException(
                    "Polder's arenas are not pooled here: " + pool.stats().reason(), null);
        }
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String label() {
        return "Polder";
    }

    @Override
    public Owner open() {
        return new ArenaOwner(pool.openConfined());
    }

    @Override
    public String map() {
        return MapLines.wrap(pool.map().toString());
    }

    @Override
    public List<Span> layout() {
        return PoolAreas.chunks(label(), pool.map()).map(Panel::spans).orElse(List.of());
    }

    @Override
    public void close() {
        pool.close();
    }

    private record ArenaOwner(Arena arena) implements Owner {
        /** Without this, an address need not be a multiple of a word's size. */
        private static final long ALIGNMENT = 8;

        @Override
        public long allocate(long bytes) {
            try {
                return arena.allocate(bytes, ALIGNMENT).address();
            } catch (OutOfMemoryError e) {
                return NO_ROOM;
            }
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
