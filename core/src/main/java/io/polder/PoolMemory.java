package io.polder;

import io.polder.arena.ChunkSource;
import io.polder.arena.SlabMemory;
import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.ChunkStatistics;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.ProviderChoice;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The rooms behind one pool, put together.
 *
 * <pre>{@code
 *   MemoryPool --> PoolMemory --> SlabMemory --> ChunkSource --> ChunkSpace --> MemoryProvider
 *                      |                                             ^
 *                      +---------------------------------------------+   trim, decay, statistics
 *                      |                                             |
 *                      +--> Task --> Background thread --- tick -----+
 * }</pre>
 *
 * <p>Where pooling is off there is nothing behind it, and arenas are the JDK's.
 *
 * <p>States: <i>open</i>; <i>closed</i>, hands out nothing and waits for what is out;
 * <i>released</i>, has no memory any more.
 *
 * <p>A tick comes a decay period after memory became free, and again as long as it finds something
 * to do: memory that is free and committed, deferred arenas to close, a closed pool to release. A
 * pool at rest has none.
 *
 * <p>Thread-safe: what is behind it is; {@link #closed} only ever becomes true.
 */
final class PoolMemory {
    private final ProviderChoice choice;
    private final PoolSettings settings;
    private final ChunkSpace space;
    private final Task task;
    private final @Nullable SlabMemory slabs;
    private volatile boolean closed;
    private volatile boolean released;

    private PoolMemory(ProviderChoice choice, PoolSettings settings, Background background) {
        this.choice = choice;
        this.settings = settings;
        this.space = new ChunkSpace(choice.provider(), new MemoryBudget(settings.limits()));
        this.task = background.task(this::tick, settings.decay().toNanos());
        this.slabs =
                choice.nativeAccess() && settings.slabs().enabled()
                        ? SlabMemory.create(
                                new ChunkSource(
                                        space,
                                        settings.limits(),
                                        settings.growth(),
                                        settings.slabs().bytes(),
                                        task::wake,
                                        this::exhausted),
                                settings.slabs().count(),
                                task::wake,
                                Runtime.getRuntime().availableProcessors())
                        : null;
    }

    static PoolMemory create(ProviderChoice choice, PoolSettings settings, Background background) {
        return new PoolMemory(choice, settings, background);
    }

    /** What arenas are made on; null if they are the JDK's. */
    @Nullable SlabMemory slabs() {
        return slabs;
    }

    boolean nativeAccess() {
        return choice.nativeAccess();
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed: name=" + settings.name());
        }
    }

    private void exhausted(MemoryExhaustedException exhausted) {
        if (settings.logExhaustion()) {
            System.getLogger("io.polder")
                    .log(
                            Level.WARNING,
                            "pool exhausted: name="
                                    + settings.name()
                                    + ": "
                                    + exhausted.getMessage()
                                    + "\n"
                                    + report()
                                    + "\n"
                                    + map());
        }
    }

    String report() {
        return PoolReport.of(stats());
    }

    String map() {
        return space.map();
    }

    long trim() {
        if (slabs != null) {
            slabs.trim();
        }
        return space.trim();
    }

    void close() {
        closed = true;
        if (slabs != null) {
            slabs.close();
        }
        if (tick()) {
            task.wake();
        }
    }

    /** Does what is due in the background; returns whether something is left for the next tick. */
    private boolean tick() {
        boolean more = slabs != null && slabs.tick();
        if (closed) {
            trim();
            return !release();
        }
        space.decay();
        return more || space.hasWarmFree();
    }

    /** Releases the address space of a closed pool, if nobody has a part of it any more. */
    private synchronized boolean release() {
        if (!released) {
            try {
                space.close();
                released = true;
            } catch (IllegalStateException notYet) {
                return false; // something is still out, or the system refused
            }
        }
        return true;
    }

    PoolStatistics stats() {
        ChunkStatistics chunks = space.statistics();
        List<PoolStatistics.FreeChunks> free =
                chunks.free().stream()
                        .map(
                                level ->
                                        new PoolStatistics.FreeChunks(
                                                level.chunkBytes(),
                                                level.count(),
                                                level.committedBytes()))
                        .toList();
        return new PoolStatistics(
                settings.name(),
                slabs != null,
                choice.provider().name(),
                slabs == null && choice.nativeAccess() ? "slabs are off" : choice.reason(),
                chunks.canUncommit(),
                settings.slabs().bytes(),
                settings.slabs().count(),
                slabs == null ? 0 : slabs.threadCount(),
                chunks.limits().committedMaxBytes(),
                chunks.limits().reservedMaxBytes(),
                chunks.reservedBytes(),
                chunks.committedBytes(),
                chunks.usedCommittedBytes(),
                chunks.usedBytes(),
                chunks.usedCount(),
                free,
                chunks.largeCount(),
                chunks.largeBytes(),
                slabs == null ? 0 : slabs.deferredGroups(),
                slabs == null ? 0 : slabs.deferredRetainedBytes(),
                chunks.splits(),
                chunks.merges(),
                chunks.enlargements(),
                chunks.pagesCommitted() * chunks.pageBytes(),
                chunks.pagesUncommitted() * chunks.pageBytes(),
                chunks.failures());
    }
}
