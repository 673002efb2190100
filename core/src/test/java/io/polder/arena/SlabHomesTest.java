package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

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

    @RegisterExtension final Slabs fixture = new Slabs();

    private final SlabMemory memory = fixture.create(4096, COUNT);

    @Test
    void open_withoutAllocation_takesNoSlab() {
        try (Arena arena = memory.openConfined()) {
            assertThat(arena.scope().isAlive()).isTrue();
        }
        assertThat(memory.counts().slabs()).isZero();
        assertThat(memory.counts().threads()).isZero();
    }

    @Test
    void allocate_moreThanASlabFirst_takesNoSlab() {
        try (Arena arena = memory.openConfined()) {
            assertThat(arena.allocate(4097).byteSize()).isEqualTo(4097);
            assertThat(memory.counts().slabs()).isZero();
            assertThat(arena.allocate(8).byteSize()).isEqualTo(8);
            assertThat(memory.counts().slabs()).isEqualTo(1);
        }
    }

    @Test
    void close_thenOpen_takesTheSameSlab() {
        long first = addressOfNext();
        for (int i = 0; i < 100; i++) {
            assertThat(addressOfNext()).isEqualTo(first);
        }
        assertThat(memory.counts().slabs()).isEqualTo(1);
        assertThat(memory.counts().free()).isZero(); // the thread keeps it
    }

    @Test
    void nest_withinTheCount_keepsAllWithTheThread() {
        Set<Long> first = nest(COUNT);
        assertThat(memory.counts().slabs()).isEqualTo(COUNT);
        assertThat(memory.counts().free()).isZero();
        assertThat(nest(COUNT)).isEqualTo(first);
        assertThat(memory.counts().slabs()).isEqualTo(COUNT);
    }

    @Test
    void nest_beyondTheCount_givesTheRestToTheSource() {
        Set<Long> first = nest(COUNT + 3);
        assertThat(memory.counts().slabs()).isEqualTo(COUNT + 3);
        assertThat(memory.counts().free()).isEqualTo(3);
        assertThat(nest(COUNT + 3)).isEqualTo(first);
        assertThat(memory.counts().slabs()).isEqualTo(COUNT + 3);
        assertThat(memory.counts().free()).isEqualTo(3);
    }

    @Test
    void nest_beyondTheCount_otherThreadsTakeTheRest() {
        Set<Long> here = nest(COUNT + 1);
        long there = OtherThread.platform(this::addressOfNext);
        assertThat(here).contains(there);
        assertThat(memory.counts().slabs()).isEqualTo(COUNT + 1);
    }

    @Test
    void allocate_exactlyASlab_fitsAndComesBack() {
        long first;
        try (Arena arena = memory.openConfined()) {
            first = arena.allocate(4096, 1).address();
            assertThat(Math.abs(arena.allocate(1).address() - first)).isGreaterThanOrEqualTo(4096);
        }
        assertThat(addressOfNext()).isEqualTo(first);
    }

    @Test
    void end_ofAThread_givesItsSlabsToTheNextThatRegisters() {
        Set<Long> first = OtherThread.platform(() -> nest(3));
        assertThat(memory.counts().free()).isZero();
        Set<Long> second = OtherThread.platform(() -> nest(3));
        assertThat(second).isEqualTo(first);
        assertThat(memory.counts().slabs()).isEqualTo(3);
    }

    @Test
    void end_ofManyShortThreads_needsNoMoreSlabs() {
        for (int i = 0; i < 1000; i++) {
            assertThat(OtherThread.platform(() -> nest(2))).hasSize(2);
            assertThat(memory.counts().slabs()).isLessThanOrEqualTo(2);
        }
        assertThat(memory.counts().threads()).isEqualTo(1);
    }

    @Test
    void end_ofAThread_slabsAreFoundBeforeMemoryIsReserved() {
        SlabMemory large = fixture.create(SlabSettings.BYTES_MAX, 64);
        List<Thread> alive = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2 * ThreadRegistry.LOOK_AT; i++) {
            alive.add(registered(large, end));
        }
        Set<Long> ended = OtherThread.platform(() -> nest(large, 4));
        long reserved = large.counts().reservedBytes();
        assertThat(nest(large, 4)).isEqualTo(ended);
        assertThat(large.counts().reservedBytes()).isEqualTo(reserved);
        end.countDown();
        alive.forEach(SlabHomesTest::join);
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
        fixture.expectLost(1);
        for (int i = 0; i < 20; i++) {
            assertThat(OtherThread.platform(() -> nest(3))).doesNotContain(lost);
        }
        assertThat(nest(10)).doesNotContain(lost);
        assertThat(OtherThread.thrownBy(left[0]::close)).isInstanceOf(WrongThreadException.class);
        assertThat(left[0].scope().isAlive()).isTrue();
        assertThat(nest(10)).doesNotContain(lost);
    }

    @Test
    void use_ofTwoPools_keepsThemApart() {
        SlabMemory other = fixture.create(4096, COUNT);
        Set<Long> here = nest(COUNT);
        assertThat(nest(other, COUNT)).doesNotContainAnyElementsOf(here);
        assertThat(nest(COUNT)).isEqualTo(here);
    }

    private Set<Long> nest(int depth) {
        return nest(memory, depth);
    }

    /** The addresses of arenas open at the same time; all are closed again. */
    private static Set<Long> nest(SlabMemory memory, int depth) {
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
    private static Thread registered(SlabMemory memory, CountDownLatch end) {
        CountDownLatch known = new CountDownLatch(1);
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    nest(memory, 1);
                                    known.countDown();
                                    await(end);
                                });
        await(known);
        return thread;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
    }
}
