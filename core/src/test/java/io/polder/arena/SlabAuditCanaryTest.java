package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The fixture catches what it is there to catch. */
class SlabAuditCanaryTest {
    private final SlabMemory memory =
            SlabMemory.create(Providers.choose().provider(), new SlabSettings(256, 2), 1);
    private final Slabs fixture = new Slabs();

    SlabAuditCanaryTest() {
        fixture.watch(memory);
    }

    @Test
    void checkAll_everythingHome_passes() {
        try (Arena arena = memory.openConfined()) {
            arena.allocate(8).fill((byte) 1);
        }
        assertThatCode(fixture::checkAll).doesNotThrowAnyException();
    }

    @Test
    void checkAll_confinedArenaOpen_isCaught() {
        try (Arena arena = memory.openConfined()) {
            arena.allocate(8);
            assertCaught("slabs = home + held: slabs=1, home=0, held=0");
        }
        fixture.checkAll();
    }

    @Test
    void checkAll_sharedArenaOpen_isCaught() {
        try (Arena arena = memory.openShared()) {
            arena.allocate(8);
            assertCaught("slabs = home + held: slabs=1, home=0, held=0");
        }
        fixture.checkAll();
    }

    @Test
    void checkAll_virtualThreadLeftArenaOpen_isCaught() {
        Arena left =
                OtherThread.virtual(
                        () -> {
                            Arena arena = memory.openConfined();
                            arena.allocate(8);
                            return arena;
                        });
        assertThat(left.scope().isAlive()).isTrue();
        assertCaught("a slot taken has an arena: taken=1, held=0");
    }

    @Test
    void checkAll_slotTakenWithoutSlab_isCaught() {
        assertThat(memory.slots().take(0)).isZero();
        assertCaught("a slot taken has an arena: taken=1, held=0");
    }

    @Test
    @SuppressWarnings("restricted")
    void checkAll_slabWrittenAfterItWasGiven_isCaught() {
        MemorySegment slab = MemorySegment.ofAddress(memory.takeFromSource()).reinterpret(256);
        memory.source().give(slab.address());
        fixture.checkAll();
        slab.set(ValueLayout.JAVA_BYTE, 255, (byte) 1);
        assertCaught("a slab at home reads as zero", "offset=255, home=source");
    }

    @Test
    void checkAll_slabInTwoPlaces_isCaught() {
        long slab = memory.takeFromSource();
        memory.source().give(slab);
        int slot = memory.slots().take(0);
        memory.slots().give(slot, slab);
        assertCaught("a slab is in one place", "places=source, slot");
    }

    @Test
    void checkAll_slabTakenAndForgotten_isCaught() {
        assertThat(memory.takeFromSource()).isNotZero();
        assertCaught("slabs = home + held: slabs=1, home=0, held=0");
    }

    private void assertCaught(String... parts) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(fixture::checkAll)
                .satisfies(error -> assertThat(error.getMessage()).contains(parts));
    }
}
