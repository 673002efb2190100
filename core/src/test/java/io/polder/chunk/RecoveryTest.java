package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What follows from the truth of a space is made anew from it. */
class RecoveryTest extends SpaceFixture {
    private final List<Long> chunks = new ArrayList<>();

    @RepeatedTest(10)
    void run_afterEverythingThatFollowsWasLost_isAsBefore() {
        long seed = System.nanoTime();
        ChunkSpace space = mixed(seed);
        ChunkStatistics before = space.statistics();
        String map = SpaceCheck.text(space.state);
        SpaceState state = space.state;
        synchronized (state) {
            for (RootArea root : state.roots.bySlot) {
                if (root != null) {
                    root.warm.clear();
                    root.cold.clear();
                }
            }
            state.warm.clear();
            state.cold.clear();
            state.usedBytes = -1;
            state.committedBytes = 0;
            state.reservedBytes = 0;
            state.inTransition = true;
        }
        SpaceCheck.verifyAtRest(space);
        assertThat(SpaceCheck.text(space.state)).as("seed=%d", seed).isEqualTo(map);
        assertThat(space.statistics()).as("seed=%d", seed).isEqualTo(before);
        giveAll(space);
    }

    /** Every way in which one thing that follows may be wrong is mended. */
    @TestFactory
    Stream<DynamicTest> run_afterAnyChangeCutOff_mends() {
        return Stream.<Consumer<SpaceState>>of(
                        state -> state.warm.remove(SMALLEST, 0),
                        state -> state.cold.clear(),
                        state -> first(state).warm.clear(),
                        state -> first(state).idle.set(0, 64),
                        state -> state.usedBytes++,
                        state -> state.committedBytes = 0,
                        state -> state.committedTotalBytes += page,
                        state -> state.uncommittedTotalBytes += page,
                        state -> state.reservedBytes = 0,
                        state -> state.tryCommitLocked(page),
                        state -> state.tryReserveLocked(ROOT))
                .map(each -> DynamicTest.dynamicTest("mends", () -> assertMended(each)));
    }

    private void assertMended(Consumer<SpaceState> damage) {
        ChunkSpace space = mixed(1);
        ChunkStatistics before = space.statistics();
        synchronized (space.state) {
            damage.accept(space.state);
            space.state.inTransition = true;
        }
        SpaceCheck.verifyAtRest(space);
        assertBudgetIsOf(space, budget(space));
        ChunkStatistics after = space.statistics();
        assertThat(after.free()).isEqualTo(before.free());
        assertThat(after.usedBytes()).isEqualTo(before.usedBytes());
        assertThat(after.usage().committedBytes()).isEqualTo(before.usage().committedBytes());
        assertThat(after.usage().reservedBytes()).isEqualTo(before.usage().reservedBytes());
        giveAll(space);
        chunks.clear();
    }

    @Test
    void run_whileARootIsIsolated_leavesIt() {
        ChunkSpace space = mixed(2);
        SpaceState state = space.state;
        long isolated;
        synchronized (state) {
            assertThat(state.isolateLocked(first(state), Uncommitter.What.FREE)).isTrue();
            isolated = state.isolatedBytesLocked();
            state.inTransition = true;
        }
        SpaceCheck.verify(space);
        assertThat(state.isolatedBytesLocked()).isEqualTo(isolated).isPositive();
        synchronized (state) {
            state.isolated.inFlight = false;
            state.inTransition = true;
        }
        SpaceCheck.verifyAtRest(space);
        assertThat(state.isolatedBytesLocked()).isZero();
        giveAll(space);
    }

    @Test
    void run_whileAReservationComesOrLeaves_leavesIt() {
        ChunkSpace space = space();
        space.give(take(space, KIB), 0);
        SpaceState state = space.state;
        RootReservation coming = new RootReservation(ROOT);
        RootReservation leaving = state.reserved[0];
        synchronized (state) {
            assertThat(state.expectLocked(coming)).isNull();
            assertThat(state.isolateReservationLocked(leaving, false)).isTrue();
            state.inTransition = true;
        }
        SpaceCheck.verify(space);
        assertThat(state.comingLocked()).isEqualTo(ROOT);
        assertThat(leaving.inFlight).isTrue();
        assertThat(first(state).isFree(RootArea.WHOLE)).isFalse();
        synchronized (state) {
            coming.inFlight = false;
            leaving.inFlight = false;
            state.inTransition = true;
        }
        SpaceCheck.verifyAtRest(space);
        assertBudgetIsOf(space, budget(space));
        assertThat(state.comingLocked()).isZero();
    }

    private static RootArea first(SpaceState state) {
        return state.roots.known(0);
    }

    /** A space of two roots with chunks of many sizes, partly committed, half of them given. */
    private ChunkSpace mixed(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ChunkSpace space = space(new MemoryLimits(2 * ROOT, 2 * ROOT));
        for (int i = 0; i < 60; i++) {
            long bytes = KIB << random.nextInt(8);
            long chunk = take(space, bytes);
            space.commit(chunk, 0, random.nextLong(bytes + 1));
            chunks.add(chunk);
        }
        long root = take(space, ROOT);
        space.give(root, 0);
        for (int i = 0; i < 30; i++) {
            space.give(chunks.remove(random.nextInt(chunks.size())), 0);
        }
        return space;
    }

    private void giveAll(ChunkSpace space) {
        chunks.forEach(chunk -> space.give(chunk, 0));
    }
}
