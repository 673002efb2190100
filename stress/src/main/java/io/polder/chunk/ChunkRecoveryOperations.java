package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.stress.everywhere.FailingProvider;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Plan;
import io.polder.stress.everywhere.Require;
import io.polder.stress.everywhere.Scenario;
import io.polder.stress.everywhere.ThrowEverywhere;
import io.polder.stress.everywhere.Throwing;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Operations of a chunk space in hard times, each tried by itself: after changes that were cut
 * short, at a limit, where memory cannot be uncommitted; part of {@code throw-everywhere}.
 */
public final class ChunkRecoveryOperations {
    private ChunkRecoveryOperations() {}

    /** Tries those that the arguments name; exit code 1 if something is wrong. */
    public static void main(String[] arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        tryAll(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }

    /** Tries all of them. */
    public static void tryAll(ThrowEverywhere everywhere) {
        everywhere.check("chunk.take-after-cut-off", TakeAfterCutOff::new);
        everywhere.check("chunk.trim-after-cut-off", TrimAfterCutOff::new);
        everywhere.check("chunk.take-at-limit", TakeAtLimit::new);
        everywhere.check("chunk.commit-at-limit", CommitAtLimit::new);
        everywhere.check("chunk.close-all", Close::new);
        everywhere.check("chunk.plain.take", PlainTake::new);
        everywhere.check("chunk.plain.trim", PlainTrim::new);
    }

    /**
     * Leaves what changes that were cut short leave, at worst: the truth, and nothing else right.
     */
    private static void cutOff(ChunkSpace space) {
        SpaceState state = space.state;
        synchronized (state) {
            RootArea root = state.roots.known(0);
            state.isolateLocked(root, Uncommitter.What.FREE);
            state.isolated.rangesDone = 0;
            state.isolated.inFlight = false;
            RootReservation coming = new RootReservation(ChunkLevel.ROOT_BYTES);
            state.expectLocked(coming);
            coming.inFlight = false;
            state.tryCommitLocked(state.pages.bytes());
            root.warm.clear();
            root.cold.clear();
            state.warm.clear();
            state.cold.clear();
            state.usedBytes = 0;
            state.committedBytes = 0;
            state.inTransition = true;
        }
    }

    private static final class TakeAfterCutOff extends ChunkScenario {
        TakeAfterCutOff() {
            cutOff(space);
        }

        @Override
        public void operate() {
            own.add(space.take(ChunkLevel.fitting(2 * KIB), ChunkLevel.SMALLEST));
        }
    }

    private static final class TrimAfterCutOff extends ChunkScenario {
        TrimAfterCutOff() {
            cutOff(space);
        }

        @Override
        public void operate() {
            space.trim();
        }
    }

    /** A space with a limit, and what its owner has. */
    private abstract static class Limited implements Scenario {
        static final long ROOT = ChunkLevel.ROOT_BYTES;
        final FailingProvider provider;
        final MemoryBudget budget;
        final ChunkSpace space;
        final List<Long> own = new ArrayList<>(16);

        Limited(MemoryProvider memory, long committedMax, long reservedMax) {
            provider = new FailingProvider(memory);
            budget = new MemoryBudget(new MemoryLimits(committedMax, reservedMax), "");
            space = new ChunkSpace(provider, budget);
        }

        final long take(long bytes) {
            int level = ChunkLevel.fitting(bytes);
            return space.take(level, level);
        }

        final void give(long chunk, long usedBytes) {
            space.commit(chunk, 0, usedBytes);
            Paint.paint(Paint.at(Chunk.address(chunk), usedBytes), chunk);
            space.give(chunk, usedBytes);
        }

        @Override
        public void check(@Nullable Throwable thrown) {
            SpaceCheck.verifyAtRest(space);
            for (long chunk : own) {
                Paint.requireZero(Paint.at(Chunk.address(chunk), Chunk.bytes(chunk)));
                space.give(chunk, 0);
            }
            if (!Throwing.hasThrown()) {
                Require.equal("used", space.statistics().usedBytes(), 0);
            }
            own.clear();
            own.add(take(ROOT));
            Paint.requireZero(Paint.at(Chunk.address(own.getFirst()), ROOT));
            give(own.removeFirst(), ROOT / 4);
            space.trim();
            SpaceCheck.verifyAtRest(space);
            if (!Throwing.hasThrown()) {
                Require.equal("committed", space.statistics().usage().committedBytes(), 0);
                Require.equal("charged", budget.committed.bytes(), 0);
            }
            space.close();
            closed();
        }

        final void closed() {
            Require.equal("reserved", space.statistics().usage().reservedBytes(), 0);
            Require.equal("reserved, charged", budget.reserved.bytes(), 0);
            Require.equal("committed, charged", budget.committed.bytes(), 0);
            Require.equal("reserved by the system", provider.reservedBytes(), 0);
        }

        @Override
        public void abandon() {
            provider.abandon();
        }
    }

    /** Finds no chunk and no room for one, and takes a smaller one. */
    private static final class TakeAtLimit extends Limited {
        TakeAtLimit() {
            super(Providers.choose().provider(), 2 * ROOT, 2 * ROOT);
            own.add(take(ROOT));
            own.add(take(ROOT / 4));
        }

        @Override
        public void operate() {
            try {
                own.add(space.take(ChunkLevel.ROOT, ChunkLevel.SMALLEST));
                space.take(ChunkLevel.ROOT, ChunkLevel.ROOT);
            } catch (MemoryExhaustedException expected) {
                return;
            }
        }
    }

    /** Uncommits free memory first. */
    private static final class CommitAtLimit extends Limited {
        private final long chunk;

        CommitAtLimit() {
            super(Providers.choose().provider(), ROOT, 3 * ROOT);
            long other = take(ROOT);
            chunk = take(ROOT);
            own.add(chunk);
            give(other, ROOT / 2 + ROOT / 4);
        }

        @Override
        public void operate() {
            space.commit(chunk, 0, ROOT / 2);
        }
    }

    /** Closes again what could not be closed. */
    private static final class Close extends Limited {
        Close() {
            super(Providers.choose().provider(), 2 * ROOT, 2 * ROOT);
            give(take(ROOT), ROOT / 4);
        }

        @Override
        public void operate() {
            space.close();
        }

        @Override
        public void check(@Nullable Throwable thrown) {
            SpaceCheck.verifyAtRest(space);
            space.close();
            SpaceCheck.verifyAtRest(space);
            closed();
        }
    }

    private static final class PlainTake extends Limited {
        PlainTake() {
            super(Providers.plain(), 2 * ROOT, 2 * ROOT);
        }

        @Override
        public void operate() {
            own.add(take(ROOT / 4));
        }
    }

    private static final class PlainTrim extends Limited {
        PlainTrim() {
            super(Providers.plain(), 2 * ROOT, 2 * ROOT);
            give(take(ROOT / 4), ROOT / 8);
        }

        @Override
        public void operate() {
            space.trim();
        }
    }
}
