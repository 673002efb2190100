package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The system refuses memory: arenas go on with the JDK's, and with slabs when it gives again. */
class NoMemoryTest {
    private static final int ENOMEM = 12;
    private static final int EPERM = 1;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final SlabMemory memory = fixture.create(provider, SlabSettings.BYTES_MAX, 2);

    @Test
    void allocate_refused_usesTheJdksMemory() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        assertWorks(memory::openConfined);
        assertWorks(memory::openShared);
        OtherThread.virtual(
                () -> {
                    assertWorks(memory::openConfined);
                    return true;
                });
        assertThat(memory.counts().slabs()).isZero();
        assertThat(memory.counts().failures()).isPositive();
        assertThat(memory.counts().failures()).isEqualTo(provider.failures(Call.RESERVE));
    }

    @Test
    void allocate_refusedForAnotherReason_usesTheJdksMemory() {
        provider.failAlways(Call.RESERVE, EPERM);
        assertWorks(memory::openConfined);
        assertThat(memory.counts().slabs()).isZero();
        assertThat(memory.counts().failures()).isPositive();
    }

    @Test
    void allocate_healedInsideAnArena_isPooledFromThenOn() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        try (Arena arena = memory.openConfined()) {
            MemorySegment before = arena.allocate(64);
            Paint.paint(before, 1);
            provider.heal();
            while (memory.counts().slabs() == 0) {
                assertThat(Paint.isZero(arena.allocate(64))).isTrue();
            }
            assertThat(Paint.isPainted(before, 1)).isTrue();
        }
        long first = addressOfNext();
        assertThat(addressOfNext()).isEqualTo(first);
    }

    @Test
    void open_healed_isPooledAgain() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 10_000; i++) {
            assertThat(addressOfNext()).isNotZero();
        }
        assertThat(memory.counts().failures()).isLessThan(50);
        provider.heal();
        int opened = 0;
        while (memory.counts().slabs() == 0) {
            assertThat(addressOfNext()).isNotZero();
            opened++;
        }
        assertThat(opened).isLessThanOrEqualTo(SlabSource.PAUSE_MAX);
        assertThat(addressOfNext()).isEqualTo(addressOfNext());
    }

    @Test
    void open_refusedWhileSlabsExist_goesOnWithThose() {
        long first = addressOfNext();
        provider.failAlways(Call.RESERVE, ENOMEM);
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Arena arena = memory.openConfined();
            MemorySegment segment = arena.allocate(100);
            assertThat(Paint.isZero(segment)).isTrue();
            segment.fill((byte) 0xFF);
            arenas.add(arena);
        }
        arenas.forEach(Arena::close);
        assertThat(memory.counts().slabs()).isEqualTo(SlabSource.BLOCK_BYTES >> 20);
        assertThat(addressOfNext()).isNotZero();
        assertThat(first).isNotZero();
    }

    @Test
    void takeSlot_refused_leavesTheSlotFree() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 300; i++) {
            assertThat(memory.takeSlot(i)).isEqualTo(-1);
        }
        provider.heal();
        int slot = -1;
        while (slot < 0) {
            slot = memory.takeSlot(7);
        }
        assertThat(slot).isEqualTo(7);
        memory.give(slot, memory.slots().slab(slot));
    }

    private static void assertWorks(Supplier<Arena> open) {
        for (int i = 0; i < 20; i++) {
            Arena arena = open.get();
            MemorySegment first = arena.allocate(100, 64);
            assertThat(first.address() % 64).isZero();
            assertThat(Paint.isZero(first)).isTrue();
            Paint.paint(first, i);
            MemorySegment second = arena.allocate(0);
            assertThat(second.address()).isNotEqualTo(first.address());
            assertThat(Paint.isPainted(first, i)).isTrue();
            arena.close();
            assertThat(OtherThread.thrownBy(() -> arena.allocate(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    private long addressOfNext() {
        try (Arena arena = memory.openConfined()) {
            return arena.allocate(8).address();
        }
    }
}
