package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.util.Objects;

/** A confined arena in the list of those whose close an error ended, when its pool is closed. */
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

    private void assertGivenBackOnce(long bytes) {
        ArenaFactory memory = fixture.create(4096, 4);
        memory.openConfined().close();
        try (Arena first = memory.openConfined()) { // so that the thread has a slab
            first.allocate(8);
        }
        ConfinedArena arena = (ConfinedArena) memory.openConfined();
        arena.allocate(bytes);
        ThreadCache own = Objects.requireNonNull(memory.threads().known(Thread.currentThread()));
        ((Arena) SlabAudit.field(arena, "lifetime")).close(); // as if errors ended the rest twice
        arena.next = own.cutOff;
        own.cutOff = arena;
        memory.close();
        memory.drain();
        assertThat(own.cutOff).isNull();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }
}
