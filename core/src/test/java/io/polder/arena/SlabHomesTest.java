package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** Where the slabs of a platform thread's arenas come from and go to. */
class SlabHomesTest {
    private static final int COUNT = 4;
    private static final long SLAB = 4096;
    private static final long SMALL = ChunkLevel.SMALLEST_BYTES;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(SLAB, COUNT);

    @Test
    void open_withoutAllocation_takesNothing() {
        try (Arena arena = memory.openConfined()) {
            assertThat(arena.scope().isAlive()).isTrue();
        }
        assertThat(usedBytes()).isZero();
        assertThat(memory.threadCount()).isZero();
    }

    @Test
    void allocate_moreThanASlabFirst_takesAChunkAndLeavesTheSlabToOthers() {
        long slab = addressOfNext();
        try (Arena arena = memory.openConfined()) {
            long first = arena.allocate(SLAB + 1).address();
            assertThat(usedBytes()).isEqualTo(SLAB + 2 * SLAB);
            assertThat(arena.allocate(8).address()).isBetween(first, first + 2 * SLAB);
            assertThat(addressOfNext()).isEqualTo(slab);
            assertThat(usedBytes()).isEqualTo(SLAB + 2 * SLAB);
        }
        assertThat(usedBytes()).isEqualTo(SLAB);
    }

    @Test
    void close_thenOpen_takesTheSameSlab() {
        long first = addressOfNext();
        for (int i = 0; i < 100; i++) {
            assertThat(addressOfNext()).isEqualTo(first);
        }
        assertThat(usedBytes()).isEqualTo(SLAB); // the thread keeps it
    }

    @Test
    void nest_withinTheCount_keepsAllWithTheThread() {
        Set<Long> first = nest(COUNT);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
        assertThat(nest(COUNT)).isEqualTo(first);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
    }

    @Test
    void nest_beyondTheCount_takesSmallChunks() {
        int depth = COUNT + 13;
        assertThat(nest(depth)).hasSize(depth);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
        long committed = memory.source().space.statistics().usage().committedBytes();
        assertThat(nest(depth)).hasSize(depth);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
        assertThat(memory.source().space.statistics().usage().committedBytes())
                .isEqualTo(committed);
    }

    /** What is given back is a slab's worth of small chunks, side by side. */
    @Test
    void nest_beyondTheCount_otherThreadsTakeTheRest() {
        Set<Long> here = nest(COUNT + 2 * (int) (SLAB / SMALL));
        memory.chunkCache().drain();
        long there = OtherThread.platform(this::addressOfNext);
        assertThat(here).contains(there);
    }

    /** An arena that stays open keeps its slab from the others of its thread. */
    @Test
    void open_manyForLong_ownsNoMoreSlabsThanTheCount() {
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Arena arena = memory.openConfined();
            arena.allocate(8).fill((byte) 0xFF);
            arenas.add(arena);
        }
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB + (1000 - COUNT) * SMALL);
        arenas.forEach(Arena::close);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
    }

    /** A chunk is a slab by where it came from, not by its size. */
    @Test
    void allocate_moreThanAFirstChunkOfASlabsSize_givesBoth() {
        List<Arena> arenas = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            arenas.add(memory.openConfined());
            arenas.getLast().allocate(8);
        }
        try (Arena arena = memory.openConfined()) {
            arena.allocate(SLAB);
            assertThat(usedBytes()).isEqualTo((COUNT + 1) * SLAB);
            arena.allocate(SLAB);
        }
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
        arenas.forEach(Arena::close);
        assertThat(nest(COUNT)).hasSize(COUNT);
        assertThat(usedBytes()).isEqualTo(COUNT * SLAB);
    }

    @Test
    void allocate_exactlyASlab_fitsAndComesBack() {
        long first;
        try (Arena arena = memory.openConfined()) {
            first = arena.allocate(SLAB, 1).address();
            assertThat(usedBytes()).isEqualTo(SLAB);
            long second = arena.allocate(1).address();
            assertThat(second < first || second >= first + SLAB).isTrue();
        }
        assertThat(addressOfNext()).isEqualTo(first);
    }

    @Test
    void end_ofAThread_givesItsSlabsToTheNextThatRegisters() {
        Set<Long> first = OtherThread.platform(() -> nest(3));
        assertThat(usedBytes()).isEqualTo(3 * SLAB);
        Set<Long> second = OtherThread.platform(() -> nest(3));
        assertThat(second).isEqualTo(first);
        assertThat(usedBytes()).isEqualTo(3 * SLAB);
    }

    @Test
    void end_ofManyShortThreads_needsNoMoreSlabs() {
        for (int i = 0; i < 1000; i++) {
            assertThat(OtherThread.platform(() -> nest(2))).hasSize(2);
            assertThat(usedBytes()).isLessThanOrEqualTo(2 * SLAB);
        }
        assertThat(memory.threadCount()).isEqualTo(1);
    }

    @Test
    void end_ofAThread_slabsAreFoundBeforeALimitIsInTheWay() {
        int count = 2 * ThreadRegistry.LOOK_AT;
        long slab = SlabSettings.BYTES_MAX;
        long limitBytes = 8L * (count + 2) * COUNT * slab;
        ArenaFactory large =
                fixture.create(new MemoryLimits(limitBytes, 2 * limitBytes), slab, COUNT);
        List<Thread> alive = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < count; i++) {
            alive.add(registered(large, end));
        }
        assertThat(OtherThread.platform(() -> nest(large, COUNT))).hasSize(COUNT);
        assertThat(Slabs.usedBytes(large)).isEqualTo((count + COUNT) * slab);
        long blocks = 0;
        try (Arena arena = large.openShared()) {
            while (arena.allocate(slab).byteSize() > 0) {
                blocks++;
            }
        } catch (OutOfMemoryError full) {
            assertThat(full).hasMessageContaining("committedMaxBytes=" + limitBytes);
        }
        assertThat(blocks).isEqualTo(limitBytes / slab - count);
        end.countDown();
        alive.forEach(Await::end);
    }

    @Test
    void end_ofVirtualThreads_slabsAreFoundBeforeALimitIsInTheWay() {
        long limitBytes = 4 * SlabSettings.BYTES_MAX;
        ArenaFactory large =
                fixture.create(
                        new MemoryLimits(limitBytes, limitBytes), SlabSettings.BYTES_MAX, 64);
        assertThat(OtherThread.virtual(() -> nest(large, 4))).hasSize(4);
        assertThat(nest(large, 4)).hasSize(4);
    }

    @Test
    void end_ofAThreadWithAnArenaOpen_slabIsNeverUsedAgain() {
        Arena[] left = new Arena[1];
        long lost =
                OtherThread.platform(
                        () -> {
                            left[0] = memory.openConfined();
                            return left[0].allocate(8).address();
                        });
        fixture.expectLost(SLAB);
        for (int i = 0; i < 20; i++) {
            assertThat(OtherThread.platform(() -> nest(3))).doesNotContain(lost);
        }
        assertThat(nest(10)).doesNotContain(lost);
        assertThat(OtherThread.thrownBy(left[0]::close)).isInstanceOf(WrongThreadException.class);
        assertThat(left[0].scope().isAlive()).isTrue();
        assertThat(nest(10)).doesNotContain(lost);
    }

    @Test
    void open_entryOfAnotherLivingThread_takesASlabFromASlot() {
        long mine = addressOfNext();
        OtherThread.colliding(
                Thread.currentThread(),
                () -> {
                    long slab = addressOfNext(); // and leaves it in a slot
                    assertThat(slab).isNotEqualTo(mine);
                    for (int i = 0; i < 100; i++) {
                        try (Arena arena = memory.openConfined()) {
                            assertThat(arena.allocate(8).address()).isEqualTo(slab);
                            assertThat(SlabAudit.fieldOrNull(arena, "chunks")).isNull();
                        }
                    }
                    Set<Long> nested = nest(3);
                    assertThat(nest(3)).isEqualTo(nested).contains(slab).doesNotContain(mine);
                    return nested;
                });
        assertThat(addressOfNext()).isEqualTo(mine);
        assertThat(memory.threadCount()).isEqualTo(1);
        assertThat(usedBytes()).isEqualTo((1 + 3) * SLAB);
        assertThat(memory.drain()).isEqualTo(1 + 3);
        assertThat(usedBytes()).isZero();
    }

    @Test
    void open_entryOfAThreadThatHasEnded_keepsSlabs() {
        CountDownLatch end = new CountDownLatch(1);
        Thread other = registered(memory, end, Thread.currentThread());
        long slab = addressOfNext();
        assertThat(memory.registry().known(Thread.currentThread())).isNull();
        end.countDown();
        Await.end(other);
        assertThat(addressOfNext()).isNotEqualTo(slab); // in a slot, which it does not look at
        assertThat(memory.registry().known(Thread.currentThread())).isNotNull();
        long kept = addressOfNext();
        assertThat(addressOfNext()).isEqualTo(kept);
        assertThat(memory.threadCount()).isEqualTo(1);
    }

    @Test
    void use_ofTwoPools_keepsThemApart() {
        ArenaFactory other = fixture.create(SLAB, COUNT);
        Set<Long> here = nest(COUNT);
        assertThat(nest(other, COUNT)).doesNotContainAnyElementsOf(here);
        assertThat(nest(COUNT)).isEqualTo(here);
    }

    private long usedBytes() {
        return Slabs.usedBytes(memory);
    }

    private Set<Long> nest(int depth) {
        return nest(memory, depth);
    }

    /** The addresses of arenas open at the same time; all are closed again. */
    private static Set<Long> nest(ArenaFactory memory, int depth) {
        if (depth == 0) {
            return new HashSet<>();
        }
        try (Arena arena = memory.openConfined()) {
            long address = arena.allocate(8).address();
            Set<Long> addresses = nest(memory, depth - 1);
            assertThat(addresses.add(address)).isTrue();
            return addresses;
        }
    }

    private long addressOfNext() {
        try (Arena arena = memory.openConfined()) {
            return arena.allocate(8).address();
        }
    }

    /** A thread that has registered, and lives on. */
    private static Thread registered(ArenaFactory memory, CountDownLatch end) {
        return registered(memory, end, Thread.ofPlatform().unstarted(() -> {}));
    }

    /** The same with one whose id names the same entry of the thread table as another's. */
    private static Thread registered(ArenaFactory memory, CountDownLatch end, Thread colliding) {
        CountDownLatch known = new CountDownLatch(1);
        Thread thread =
                OtherThread.unstartedColliding(
                        colliding,
                        () -> {
                            nest(memory, 1);
                            known.countDown();
                            Await.open(end);
                        });
        thread.start();
        Await.open(known);
        return thread;
    }
}
