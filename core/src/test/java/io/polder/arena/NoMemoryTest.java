package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Paint;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The system refuses memory: arenas go on with the JDK's, and with slabs when it gives again. */
class NoMemoryTest {
    private static final int ENOMEM = 12;
    private static final int EPERM = 1;

    /** A space that is refused 64 MiB asks for half as much, and so on down to a root chunk. */
    private static final int SIZES_TRIED = 5;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final ArenaFactory memory = fixture.create(provider, SlabSettings.BYTES_MAX, 2);

    @ParameterizedTest
    @EnumSource(names = {"RESERVE", "COMMIT"})
    void allocate_refused_usesTheJdksMemoryAndLeavesNothingTaken(Call call) {
        provider.failAlways(call, ENOMEM);
        assertWorks(memory::openConfined);
        assertWorks(memory::openShared);
        OtherThread.virtual(
                () -> {
                    assertWorks(memory::openConfined);
                    return true;
                });
        assertThat(Slabs.usedBytes(memory)).isZero();
        assertThat(refusals()).isPositive().isEqualTo(provider.failures(call));
    }

    @Test
    void allocate_refusedForAnotherReason_usesTheJdksMemory() {
        provider.failAlways(Call.RESERVE, EPERM);
        assertWorks(memory::openConfined);
        assertThat(Slabs.usedBytes(memory)).isZero();
        assertThat(refusals()).isPositive();
    }

    @Test
    void allocate_healedInsideAnArena_isPooledFromThenOn() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        try (Arena arena = memory.openConfined()) {
            MemorySegment before = arena.allocate(64);
            Paint.paint(before, 1);
            provider.heal();
            for (int i = 0; i < ChunkSource.PAUSE_MAX; i++) {
                assertThat(Paint.isZero(arena.allocate(64))).isTrue();
            }
            assertThat(Slabs.usedBytes(memory)).isPositive();
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
        assertThat(refusals()).isLessThan(SIZES_TRIED * 50);
        provider.heal();
        for (int i = 0; i < ChunkSource.PAUSE_MAX; i++) {
            assertThat(addressOfNext()).isNotZero();
        }
        assertThat(Slabs.usedBytes(memory)).isEqualTo(SlabSettings.BYTES_MAX);
        assertThat(addressOfNext()).isEqualTo(addressOfNext());
    }

    /** An arena that began with a small chunk, and got the JDK's memory for the rest. */
    @Test
    void close_smallChunkAndTheJdksMemory_freesBoth() {
        provider.failWhen(Call.RESERVE, number -> number != SIZES_TRIED, ENOMEM);
        List<Arena> others = new ArrayList<>(); // they have all slabs that the thread may own
        for (int i = 0; i < 2; i++) {
            others.add(memory.openConfined());
            others.getLast().allocate(8);
        }
        Arena arena = memory.openConfined();
        arena.allocate(8);
        ConfinedChunks chunks = (ConfinedChunks) SlabAudit.field(arena, "chunks");
        assertThat(chunks.slab()).isZero();
        assertThat(Paint.isZero(arena.allocate(3 << 20))).isTrue();
        Arena ofJdk = (Arena) SlabAudit.field(chunks, "ofJdk");
        assertThat(ofJdk.scope().isAlive()).isTrue();
        arena.close();
        assertThat(ofJdk.scope().isAlive()).isFalse();
        others.forEach(Arena::close);
    }

    /** The last size tried is had, one root chunk, and no other. */
    @Test
    void open_refusedWhileChunksExist_goesOnWithThose() {
        provider.failWhen(Call.RESERVE, number -> number != SIZES_TRIED, ENOMEM);
        List<Arena> arenas = new ArrayList<>();
        List<MemorySegment> segments = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Arena arena = memory.openConfined();
            MemorySegment segment = arena.allocate(300_000);
            assertThat(Paint.isZero(segment)).isTrue();
            Paint.paint(segment, i);
            arenas.add(arena);
            segments.add(segment);
        }
        assertThat(memory.source().space.statistics().usage().reservedBytes())
                .isEqualTo(ChunkLevel.ROOT_BYTES);
        assertThat(Slabs.usedBytes(memory)).isGreaterThan(ChunkLevel.ROOT_BYTES * 3 / 4);
        for (int i = 0; i < 30; i++) {
            assertThat(Paint.isPainted(segments.get(i), i)).isTrue();
        }
        arenas.forEach(Arena::close);
        assertThat(addressOfNext()).isEqualTo(addressOfNext());
    }

    private int takenPages() {
        return memory.source().pages.statistics().takenPages();
    }

    @Test
    void allocate_largeRefused_usesTheJdksMemory() {
        try (Arena arena = memory.openConfined()) {
            assertThat(arena.allocate(8).address()).isNotZero();
            provider.failAlways(Call.RESERVE, ENOMEM);
            MemorySegment large = arena.allocate(5 << 20, 4096);
            assertThat(large.address() % 4096).isZero();
            large.fill((byte) 0xFF);
            assertThat(takenPages()).isZero();
            provider.heal();
            arena.allocate(5 << 20).fill((byte) 0xFF);
            assertThat(takenPages()).isEqualTo(1);
        }
        assertThat(takenPages()).isZero();
    }

    @Test
    void take_refusedInVirtualThread_countsNoSlab() {
        long refused =
                OtherThread.virtual(
                        () -> {
                            provider.failAlways(Call.RESERVE, ENOMEM);
                            long last = 0;
                            for (int i = 0; i < 300; i++) {
                                last = addressOfNext(); // the JDK's
                            }
                            provider.heal();
                            for (int i = 0; i < ChunkSource.PAUSE_MAX; i++) {
                                addressOfNext();
                            }
                            return last;
                        });
        assertThat(refused).isNotZero();
        long slab =
                OtherThread.virtual(
                        () -> {
                            addressOfNext();
                            return memory.slots().takeCounted(Thread.currentThread().threadId());
                        });
        assertThat(slab).isNotZero();
        assertThat(memory.slots().give(0, slab)).isTrue();
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

    private long refusals() {
        return memory.source().space.statistics().usage().refusals();
    }

    private long addressOfNext() {
        try (Arena arena = memory.openConfined()) {
            return arena.allocate(8).address();
        }
    }
}
