package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.polder.background.Background;
import io.polder.leak.LeakDetector;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A confined arena in the list of those whose close an error ended, when its pool is closed. */
@SuppressWarnings("restricted") // to register an action
class CutOffInClosedPoolTest {
    @RegisterExtension final Slabs fixture = new Slabs();

    @Test
    void drain_littleOfTheSlabUsed_givesTheSlabBackOnce() {
        assertGivenBackOnce(8);
    }

    @Test
    void drain_muchOfTheSlabUsed_givesTheSlabBackOnce() {
        assertGivenBackOnce(1000);
    }

    /** It would lead to itself if it came into the list once more while it is taken out. */
    @Test
    void drain_stillOpen_staysListedUntilItsUserClosesIt() {
        ArenaFactory memory = usedOnce();
        ConfinedArena open = listed(memory, 100);
        ConfinedArena closed = listed(memory, 1000);
        ConfinedArena alsoOpen = listed(memory, 1 << 20);
        ConfinedArena alsoClosed = listed(memory, 1 << 20);
        closeLifetime(closed);
        closeLifetime(alsoClosed);
        memory.close();
        memory.drainAll();
        assertThat(own(memory).cutOff).isSameAs(alsoOpen);
        assertThat(alsoOpen.next).isSameAs(open);
        assertThat(open.next).isNull();
        assertThat(open.owner).isNegative();
        MemorySegment.NULL.reinterpret(open, _ -> Objects.requireNonNull(null, "fails"));
        assertThatNullPointerException().isThrownBy(open::close).withMessage("fails");
        assertThat(alsoOpen.next).isNull();
        alsoOpen.close();
        assertThat(own(memory).cutOff).isNull();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    /** A living thread gives and takes without a lock: nobody else may give it a slab. */
    @Test
    void revoke_closeHasBegunAndThreadWasNotToldYet_leavesTheList() {
        ArenaFactory memory = usedOnce().revokedBy(() -> {});
        ConfinedArena closed = listed(memory, 8);
        closeLifetime(closed);
        memory.source().closed = true;
        int _ = memory.registry().revoke();
        assertThat(own(memory).cutOff).isSameAs(closed);
        memory.close();
        memory.drainAll();
        assertThat(own(memory).cutOff).isNull();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    /** An action may use what the arena had by its address. */
    @Test
    void close_listedAndDrainedByAnAction_givesBackAfterTheActions() {
        ArenaFactory memory = usedOnce();
        ConfinedArena open = listed(memory, 1 << 20);
        memory.close();
        long[] usedBytes = {0};
        MemorySegment.NULL.reinterpret(
                open,
                _ -> {
                    memory.drainAll();
                    usedBytes[0] = Slabs.usedBytes(memory);
                });
        open.close();
        assertThat(usedBytes[0]).isGreaterThanOrEqualTo(1 << 20);
        assertThat(own(memory).cutOff).isNull();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    /** Nothing else ends the list of an owner that has one arena. */
    @Test
    void close_listedAndTracked_isNoLeak() {
        LeakDetector detector = new LeakDetector("a test", new Background("telling-of-tests"));
        detector.set(true, true);
        ArenaFactory memory = fixture.create(4096, 4).trackedBy(detector.sampler());
        ConfinedArena open = (ConfinedArena) memory.openConfined();
        assertThat(open.scope().isAlive()).isTrue();
        open.owner = -open.owner;
        open.home.cutOff = open;
        open.close();
        assertThat(detector.tracked()).isZero();
        assertThat(open.home.cutOff).isNull();
    }

    private void assertGivenBackOnce(long bytes) {
        ArenaFactory memory = usedOnce();
        closeLifetime(listed(memory, bytes));
        memory.close();
        memory.drain();
        assertThat(own(memory).cutOff).isNull();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    private ArenaFactory usedOnce() {
        ArenaFactory memory = fixture.create(4096, 4);
        memory.openConfined().close();
        try (Arena first = memory.openConfined()) { // so that the thread has a slab
            first.allocate(8);
        }
        return memory;
    }

    /** As if errors had ended its close twice. */
    private static ConfinedArena listed(ArenaFactory memory, long bytes) {
        ConfinedArena arena = (ConfinedArena) memory.openConfined();
        arena.allocate(bytes);
        arena.owner = -arena.owner;
        arena.next = own(memory).cutOff;
        own(memory).cutOff = arena;
        return arena;
    }

    private static void closeLifetime(ConfinedArena arena) {
        ((Arena) SlabAudit.field(arena, "lifetime")).close();
    }

    private static ThreadCache own(ArenaFactory memory) {
        return Objects.requireNonNull(memory.registry().known(Thread.currentThread()));
    }
}
