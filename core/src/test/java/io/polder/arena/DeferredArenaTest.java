package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.Paint;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Arenas with deferred close: closed at once for no matter who allocates, and for good when all of
 * their group are. A tick stands for the background.
 */
class DeferredArenaTest {
    private static final long GROUP_MAX = DeferredGroup.BYTES_MAX;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(4096, 2);

    @AfterEach
    void everythingComesBack() {
        memory.close();
        Await.until(() -> !memory.tick());
        assertThat(memory.deferredGroups()).isZero();
        assertThat(memory.deferredRetainedBytes()).isZero();
    }

    private static MemorySegment painted(Arena arena, long bytes, long seed) {
        MemorySegment segment = arena.allocate(bytes);
        assertThat(Paint.isZero(segment)).isTrue();
        Paint.paint(segment, seed);
        return segment;
    }

    /** That of its group; nobody asks the arena, which claims it by that. */
    private static MemorySegment.Scope lifetime(Arena arena) {
        return arena.allocate(0).scope();
    }

    private static boolean overlaps(MemorySegment one, MemorySegment other) {
        return one.address() < other.address() + other.byteSize()
                && other.address() < one.address() + one.byteSize();
    }

    @Test
    void allocate_byMembers_sharesALifetimeAndNoMemory() {
        Arena first = memory.openDeferred();
        Arena second = memory.openDeferred();
        assertThat(lifetime(first)).isEqualTo(lifetime(second));
        List<MemorySegment> segments = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            segments.add(painted(i % 2 == 0 ? first : second, 1 + i * 10L, i));
            assertThat(segments.getLast().scope()).isEqualTo(lifetime(first));
        }
        for (int i = 0; i < 200; i++) {
            assertThat(Paint.isPainted(segments.get(i), i)).isTrue();
        }
        assertThat(memory.deferredGroups()).isEqualTo(1);
        first.close();
        second.close();
    }

    @Test
    void allocate_afterClose_isRefusedAtOnce() {
        Arena other = memory.openDeferred();
        Arena arena = memory.openDeferred();
        MemorySegment segment = painted(arena, 100, 1);
        arena.close();
        for (long bytes : new long[] {0, 1, 100, 2 * GROUP_MAX}) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> arena.allocate(bytes))
                    .withMessage("Already closed");
        }
        assertThatIllegalStateException().isThrownBy(arena::close).withMessage("Already closed");
        assertThat(segment.scope().isAlive()).as("its group is not closed").isTrue();
        assertThat(Paint.isPainted(segment, 1)).isTrue();
        assertThat(Paint.isZero(other.allocate(100))).isTrue();
        other.close();
    }

    /** As where a shrinker throws. */
    @Test
    void allocate_makingRoomThrows_claimsNothingOfTheGroup() {
        ChunkSource.Listener throwing =
                new ChunkSource.Listener() {
                    @Override
                    public boolean makeRoom() {
                        throw new IllegalArgumentException("of a test");
                    }
                };
        MemoryLimits limits = new MemoryLimits(8 << 20, 1L << 32);
        ArenaFactory limited =
                Slabs.memory(
                        Slabs.source(Providers.choose().provider(), limits, 4096, throwing), 2);
        Arena all = limited.openShared();
        all.allocate(8 << 20);
        Arena arena = limited.openDeferred();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> arena.allocate(100_000))
                .withMessage("of a test");
        assertThat(limited.deferred().unfinished.getFirst().chargedBytes).hasValue(0);
        all.close();
        assertThat(Paint.isZero(arena.allocate(100_000))).isTrue();
        arena.close();
        assertThat(limited.tick()).isFalse();
    }

    @Test
    void close_byAll_endsTheLifetimeWithATick() {
        Arena first = memory.openDeferred();
        Arena second = memory.openDeferred();
        MemorySegment segment = painted(first, 100, 1);
        first.close();
        second.close();
        assertThat(segment.scope().isAlive()).as("nobody has ticked").isTrue();
        assertThat(memory.tick()).isFalse();
        assertThat(segment.scope().isAlive()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
                .withMessageContaining("closed");
        assertThat(Slabs.usedBytes(memory)).isZero();
        assertThat(memory.deferredGroups()).isZero();
    }

    /** Nobody's memory is handed out again while a member of the group is open. */
    @Test
    void close_whileAMemberIsOpen_memoryIsNotUsedAgain() {
        Arena open = memory.openDeferred();
        List<MemorySegment> closed = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Arena arena = memory.openDeferred();
            closed.add(painted(arena, 3000, i));
            arena.close();
        }
        for (int round = 0; round < 5; round++) {
            memory.tick();
            try (Arena shared = memory.openShared();
                    Arena confined = memory.openConfined();
                    Arena deferred = memory.openDeferred()) {
                for (int i = 0; i < 60; i++) {
                    for (Arena each : List.of(shared, confined, deferred)) {
                        MemorySegment segment = painted(each, 1000, 99);
                        assertThat(closed).noneMatch(old -> overlaps(old, segment));
                    }
                }
            }
        }
        for (int i = 0; i < closed.size(); i++) {
            assertThat(closed.get(i).scope().isAlive()).isTrue();
            assertThat(Paint.isPainted(closed.get(i), i)).isTrue();
        }
        open.close();
        memory.tick();
        memory.tick();
        assertThat(closed).noneMatch(old -> old.scope().isAlive());
        try (Arena shared = memory.openShared()) {
            MemorySegment segment = painted(shared, 60_000, 3);
            assertThat(closed).as("now it is").anyMatch(old -> overlaps(old, segment));
        }
    }

    @Test
    void tick_withClosedMembers_letsNobodyJoinThem() {
        Arena first = memory.openDeferred();
        memory.openDeferred().close();
        memory.tick();
        Arena second = memory.openDeferred();
        assertThat(lifetime(second)).isNotEqualTo(lifetime(first));
        assertThat(memory.deferredGroups()).isEqualTo(2);
        first.close();
        second.close();
    }

    /** There is nothing to be had from closing it, so more may join. */
    @Test
    void tick_withoutClosedMembers_leavesTheGroupOpen() {
        Arena first = memory.openDeferred();
        assertThat(memory.tick()).isFalse();
        Arena second = memory.openDeferred();
        assertThat(lifetime(second)).isEqualTo(lifetime(first));
        first.close();
        second.close();
    }

    @Test
    void allocate_groupHasEnough_goesOnInALifetimeOfItsOwn() {
        Arena large = memory.openDeferred();
        Arena small = memory.openDeferred();
        MemorySegment first = painted(large, GROUP_MAX - 1000, 1);
        MemorySegment beyond = painted(large, 2000, 2);
        assertThat(beyond.scope()).isNotEqualTo(first.scope());
        assertThat(large.allocate(3 * GROUP_MAX).scope()).isEqualTo(beyond.scope());
        Arena next = memory.openDeferred();
        assertThat(lifetime(next)).as("the group is sealed").isNotEqualTo(first.scope());
        assertThat(painted(small, 100, 3).scope()).as("there is room").isEqualTo(first.scope());
        assertThat(painted(small, 2000, 4).scope()).isNotIn(first.scope(), beyond.scope());

        large.close();
        memory.tick();
        assertThat(beyond.scope().isAlive()).as("it waits for nobody").isFalse();
        assertThat(Paint.isPainted(first, 1)).isTrue();
        small.close();
        next.close();
        memory.tick();
        assertThat(first.scope().isAlive()).isFalse();
    }

    /** What never fits a group is no reason to begin a new one, with a lifetime to close. */
    @Test
    void allocate_largerThanAGroup_leavesItOpen() {
        Arena first = memory.openDeferred();
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Arena arena = memory.openDeferred();
            arenas.add(arena);
            MemorySegment segment = arena.allocate(2 * GROUP_MAX, 1 << 21);
            assertThat(segment.address() % (1 << 21)).isZero();
            assertThat(segment.scope()).isNotEqualTo(lifetime(first));
            assertThat(painted(arena, 100, i).scope()).as("it has room").isEqualTo(lifetime(first));
        }
        assertThat(memory.deferredGroups()).isEqualTo(1);
        arenas.forEach(Arena::close);
        first.close();
        memory.tick();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    @Test
    void allocate_moreThanIsLeft_sealsAGroupThatIsMoreThanHalfFull() {
        long half = GROUP_MAX / 2;
        Arena first = memory.openDeferred();
        first.allocate(half - 16, 16);
        first.allocate(half + 100);
        Arena second = memory.openDeferred();
        assertThat(lifetime(second)).as("half full").isEqualTo(lifetime(first));
        second.allocate(1);
        second.allocate(half);
        Arena third = memory.openDeferred();
        assertThat(lifetime(third)).as("more than half full").isNotEqualTo(lifetime(first));
        List.of(first, second, third).forEach(Arena::close);
    }

    /** However many come and go after it, or before. */
    @Test
    void forgottenMember_retainsAtMostWhatAGroupHas() {
        Arena forgotten = memory.openDeferred();
        MemorySegment kept = painted(forgotten, 100, 7);
        long most = 0;
        for (int i = 0; i < 3000; i++) {
            Arena arena = memory.openDeferred();
            painted(arena, 5000, i);
            arena.close();
            if (i % 100 == 99) {
                memory.tick();
                most = Math.max(most, memory.deferredRetainedBytes());
            }
        }
        memory.tick();
        memory.tick();
        assertThat(memory.deferredGroups()).isEqualTo(1);
        assertThat(most).isBetween(1L, 2 * GROUP_MAX); // its group, and the one that is joined
        assertThat(memory.deferredRetainedBytes()).isBetween(100 * 5000L, GROUP_MAX);
        assertThat(Slabs.usedBytes(memory)).isBetween(100 * 5000L, 2 * GROUP_MAX);
        assertThat(Paint.isPainted(kept, 7)).isTrue();
        forgotten.close();
    }

    /** What waits for others is little of what a pool has, however little that is. */
    @Test
    void forgottenMembers_underALimit_retainASixteenthOfItEach() {
        long limit = 4 << 20;
        ArenaFactory small =
                fixture.create(
                        new MemoryLimits(limit, MemoryLimits.NONE.reservedMaxBytes()), 4096, 2);
        List<Arena> forgotten = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Arena one = small.openDeferred();
            painted(one, 100, i);
            forgotten.add(one);
            for (int other = 0; other < 300; other++) {
                Arena arena = small.openDeferred();
                painted(arena, 2000, other);
                arena.close();
            }
            small.tick();
            assertThat(small.deferredRetainedBytes())
                    .isBetween(100L, (i + 1) * limit / DeferredGroup.LIMIT_SHARE);
        }
        forgotten.forEach(Arena::close);
        small.close();
        Await.until(() -> !small.tick());
        assertThat(small.deferredRetainedBytes()).isZero();
    }

    @Test
    void statistics_ofAGroup_countWhatItsClosedMembersHad() {
        assertThat(memory.deferredGroups()).isZero();
        Arena first = memory.openDeferred();
        Arena second = memory.openDeferred();
        first.allocate(1000);
        first.allocate(500, 256);
        second.allocate(4000);
        assertThat(memory.deferredGroups()).isEqualTo(1);
        assertThat(memory.deferredRetainedBytes()).isZero();
        first.close();
        assertThat(memory.deferredRetainedBytes())
                .as("with what alignment may take")
                .isEqualTo(1000 + 16 + 500 + 256);
        second.close();
    }

    /** What an action does may take its time, or be cut short: then the background has the rest. */
    @Test
    @SuppressWarnings("restricted") // to register an action
    void close_ofWhatItsThreadCloses_wakesTheBackgroundFirst() {
        AtomicInteger woken = new AtomicInteger();
        ArenaFactory waking =
                fixture.watch(
                        ArenaFactory.create(
                                Slabs.source(4096), 2, woken::incrementAndGet, 1, null));
        Arena arena = waking.openDeferred();
        List<Integer> wokenBefore = new ArrayList<>();
        MemorySegment.NULL.reinterpret(arena, _ -> wokenBefore.add(woken.get()));
        arena.allocate(DeferredGroups.READY_MAX_BYTES + 1);
        arena.close();
        assertThat(wokenBefore).containsExactly(1);
    }

    /** Nobody ticks, as if the background were late by far: a thread that closes helps. */
    @Test
    void close_manyWithoutATick_leavesAFewPending() {
        int most = (int) (DeferredGroups.READY_MAX_BYTES / DeferredGroup.BYTES_MAX);
        for (int i = 0; i < 5 * most; i++) {
            Arena arena = memory.openDeferred();
            painted(arena, GROUP_MAX - 100, i);
            painted(arena, 2000, i); // in an arena of its own
            arena.close();
            assertThat(readyCount()).isLessThanOrEqualTo(most);
        }
        assertThat(Slabs.usedBytes(memory)).isLessThan((most + 1L) * 2 * GROUP_MAX);
        memory.tick();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    /** A few that are large are as bad as many. */
    @Test
    void close_largeWithoutATick_leavesAFewBytesPending() {
        PageSpace pages = memory.source().pages;
        long large = 10 << 20;
        long most = 0;
        for (int i = 0; i < 30; i++) {
            Arena arena = memory.openDeferred();
            arena.allocate(large);
            arena.close();
            most = Math.max(most, pages.statistics().takenBytes());
        }
        assertThat(most)
                .as("some wait for the background")
                .isBetween(2 * large, DeferredGroups.READY_MAX_BYTES + large);
        memory.tick();
        assertThat(pages.statistics().takenBytes()).isZero();
    }

    /** What waits to be closed, and is not closed. */
    private int readyCount() {
        int count = 0;
        for (DeferredGroup each : memory.deferred().unfinished) {
            count += each.isReady() && !each.isDone() ? 1 : 0;
        }
        return count;
    }

    @Test
    void trim_withClosedArenas_closesThemForGood() {
        Arena open = memory.openDeferred();
        Arena other = memory.openDeferred();
        MemorySegment small = painted(other, 1000, 1);
        MemorySegment large = other.allocate(2 * GROUP_MAX);
        other.close();
        memory.trim();
        assertThat(large.scope().isAlive()).as("it was its own").isFalse();
        assertThat(Paint.isPainted(small, 1)).isTrue();
        open.close();
        memory.trim();
        assertThat(small.scope().isAlive()).isFalse();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    @Test
    void close_byAnotherThread_isFine() {
        Arena arena = memory.openDeferred();
        MemorySegment segment =
                OtherThread.platform(
                        () -> {
                            MemorySegment its = painted(arena, 100, 1);
                            arena.close();
                            return its;
                        });
        memory.tick();
        assertThat(segment.scope().isAlive()).isFalse();
    }

    /** As in a pool that is closed: what is open goes on with what it has. */
    @Test
    void close_ofThePool_waitsForOpenMembers() {
        Arena empty = memory.openDeferred();
        Arena used = memory.openDeferred();
        MemorySegment segment = painted(used, 100, 1);
        memory.close();
        assertThat(memory.tick()).isFalse();
        assertThat(Paint.isPainted(segment, 1)).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> empty.allocate(100_000))
                .withMessageContaining("the pool is closed");
        empty.close();
        memory.tick();
        assertThat(Paint.isPainted(segment, 1)).isTrue();
        used.close();
        memory.tick();
        assertThat(segment.scope().isAlive()).isFalse();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }
}
