package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The fixture catches what it is there to catch. */
class SlabAuditCanaryTest {
    private final ArenaFactory memory = Slabs.memory(Slabs.source(2048), 2);
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
            assertCaught("used = home + held: used=2048, home=0, held=0");
        }
        fixture.checkAll();
    }

    @Test
    void checkAll_confinedArenaWithSmallChunkOpen_isCaught() {
        Arena first = memory.openConfined();
        Arena second = memory.openConfined();
        first.allocate(8);
        second.allocate(8);
        try (Arena third = memory.openConfined()) {
            third.allocate(8);
            first.close();
            second.close();
            assertCaught("used = home + held: used=5120, home=4096, held=0");
        }
        fixture.checkAll();
    }

    @Test
    void checkAll_sharedArenaOpen_isCaught() {
        try (Arena arena = memory.openShared()) {
            arena.allocate(8);
            assertCaught("used = home + held: used=1024, home=0, held=0");
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
        assertCaught("used = home + held: used=2048, home=0, held=0");
    }

    @Test
    @SuppressWarnings("restricted")
    void checkAll_slabWrittenAfterItWasGiven_isCaught() {
        long address = Slabs.takeSlab(memory.source());
        MemorySegment slab = MemorySegment.ofAddress(address).reinterpret(2048);
        Slabs.giveClean(memory.source(), address);
        fixture.checkAll();
        slab.set(ValueLayout.JAVA_BYTE, 2047, (byte) 1);
        assertCaught("free memory reads as zero: address=%x, home=space".formatted(address + 2047));
        slab.fill((byte) 0);
    }

    @Test
    @SuppressWarnings("restricted")
    void checkAll_slabOfAThreadWrittenTo_isCaught() {
        long address;
        try (Arena arena = memory.openConfined()) {
            address = arena.allocate(8).address();
        }
        MemorySegment slab = MemorySegment.ofAddress(address).reinterpret(2048);
        slab.set(ValueLayout.JAVA_BYTE, 1000, (byte) 1);
        assertCaught("a chunk at home reads as zero", "offset=1000, home=thread");
        slab.fill((byte) 0);
        fixture.checkAll();
    }

    @Test
    void checkAll_slabInTwoPlaces_isCaught() {
        long slab = Slabs.takeSlab(memory.source());
        Slabs.giveClean(memory.source(), slab);
        assertThat(memory.slots().give(0, slab)).isTrue();
        assertCaught("a chunk is in one place", "places=space, slot");
        assertThat(memory.slots().give(1, slab)).isTrue();
        assertCaught("a chunk is in one place", "places=slot, slot");
    }

    @Test
    void checkAll_slabTakenAndForgotten_isCaught() {
        assertThat(Slabs.takeSlab(memory.source())).isNotZero();
        assertCaught("used = home + held: used=2048, home=0, held=0");
    }

    private void assertCaught(String... parts) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(fixture::checkAll)
                .satisfies(error -> assertThat(error.getMessage()).contains(parts));
    }
}
