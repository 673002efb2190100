package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.stress.everywhere.FailingProvider;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;
import io.polder.stress.everywhere.Scenario;
import io.polder.stress.everywhere.Throwing;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A chunk space of its own, with bystanders: chunks that were taken and painted before, between
 * free ones of all sizes. What an operation has is in {@link #own}: the chunks that it was given,
 * and must give.
 */
abstract class ChunkScenario implements Scenario {
    static final long KIB = 1 << 10;
    static final long ROOT = ChunkLevel.ROOT_BYTES;

    final FailingProvider provider = new FailingProvider(Providers.choose().provider());
    final MemoryBudget budget = new MemoryBudget(new MemoryLimits(4 * ROOT, 4 * ROOT), "");
    final ChunkSpace space = new ChunkSpace(provider, budget);

    /** What the operation owns now, each with how far it is committed; room for more is there. */
    final List<Long> own = new ArrayList<>(64);

    private final List<Long> bystanders = new ArrayList<>();

    ChunkScenario() {
        List<Long> between = new ArrayList<>();
        for (long bytes = KIB; bytes <= 16 * KIB; bytes *= 2) {
            bystanders.add(taken(bytes));
            between.add(taken(bytes));
        }
        between.forEach(chunk -> space.give(chunk, Chunk.bytes(chunk)));
        for (long chunk : bystanders) {
            Paint.paint(Paint.at(Chunk.address(chunk), Chunk.bytes(chunk)), chunk);
        }
    }

    /** Takes a chunk and commits it. */
    final long taken(long bytes) {
        int level = ChunkLevel.fitting(bytes);
        long chunk = space.take(level, level);
        space.commit(chunk, 0, Chunk.bytes(chunk));
        return chunk;
    }

    @Override
    public final void check(@Nullable Throwable thrown) {
        SpaceCheck.verifyAtRest(space);
        requireBystanders();
        for (long bytes = KIB; bytes <= 64 * KIB; bytes *= 2) {
            long chunk = taken(bytes);
            Paint.requireZero(Paint.at(Chunk.address(chunk), Chunk.bytes(chunk)));
            Paint.paint(Paint.at(Chunk.address(chunk), Chunk.bytes(chunk)), -chunk);
            own.add(chunk);
        }
        requireBystanders();
        SpaceCheck.verifyAtRest(space);
        own.forEach(this::give);
        bystanders.forEach(this::give);
        SpaceCheck.verifyAtRest(space);
        space.trim();
        SpaceCheck.verifyAtRest(space);
        if (!Throwing.hasThrown()) {
            requireNothingUsed();
        }
        space.close(); // what the space itself had in hand does not keep it
        requireNothingUsed();
        Require.equal("reserved", space.statistics().usage().reservedBytes(), 0);
        Require.equal("reserved, charged", budget.reserved.bytes(), 0);
        Require.equal("reserved by the system", provider.reservedBytes(), 0);
    }

    private void requireNothingUsed() {
        Require.equal("used", space.statistics().usedBytes(), 0);
        Require.equal("committed", space.statistics().usage().committedBytes(), 0);
        Require.equal("charged", budget.committed.bytes(), 0);
    }

    private void requireBystanders() {
        for (long chunk : bystanders) {
            Paint.requirePainted(Paint.at(Chunk.address(chunk), Chunk.bytes(chunk)), chunk);
        }
    }

    /** Gives a chunk back, written as far as it can be committed. */
    private void give(long chunk) {
        long committed;
        try {
            committed = space.commit(chunk, 0, Chunk.bytes(chunk));
        } catch (MemoryExhaustedException refused) {
            committed = 0;
        }
        space.give(chunk, committed);
    }

    @Override
    public void abandon() {
        provider.abandon();
    }
}
