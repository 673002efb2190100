package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.background.Step;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.ProcessFence;
import io.polder.memory.Providers;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * What arenas tell their pool, and when. The background may look at each moment from then on, and
 * need not look again before it is told once more.
 */
class ToldTest {
    private static final int SLAB_BYTES = 4096;

    /** Looks whenever it is told, as a background would that is as quick as can be. */
    private static final class Background implements ChunkSource.Listener {
        @Nullable ArenaFactory arenas;

        /** How much was used when it was told last that memory is free. */
        long usedWhenTold = -1;

        /** Looks for slabs of threads. */
        @Nullable FutureTask<Boolean> looking;

        @Override
        public void memoryFreed() {
            usedWhenTold = Slabs.usedBytes(Objects.requireNonNull(arenas));
        }

        @Override
        public boolean makeRoom() {
            return false;
        }

        @Override
        public void exhausted(MemoryExhaustedException failure) {
            throw new AssertionError("there is memory enough", failure);
        }

        @Override
        public void threadOwnsSlabs() {
            Step step = Objects.requireNonNull(arenas).endedThreads();
            FutureTask<Boolean> look = new FutureTask<>(step::run);
            looking = look;
            Thread thread = Thread.ofPlatform().daemon().start(look);
            while (thread.isAlive() && thread.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
        }
    }

    private final Background background = new Background();
    private final ArenaFactory memory = memory(background);

    private static ArenaFactory memory(Background background) {
        ChunkSource source =
                Slabs.source(
                        Providers.choose().provider(), MemoryLimits.NONE, SLAB_BYTES, background);
        ArenaFactory memory = Slabs.memory(source, 4);
        background.arenas = memory;
        return memory.revokedBy(ProcessFence.ofThisProcess());
    }

    private static <T> T run(boolean virtual, Callable<T> task) {
        return virtual ? OtherThread.virtual(task) : OtherThread.platform(task);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void close_inAClosedPool_tellsWhenAllIsBack(boolean virtual) {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        boolean _ =
                run(
                        virtual,
                        () -> {
                            Arena[] open = new Arena[1 + random.nextInt(12)];
                            for (int i = 0; i < open.length; i++) {
                                open[i] =
                                        random.nextInt(4) == 0
                                                ? memory.openShared()
                                                : memory.openConfined();
                                for (int left = random.nextInt(4); left > 0; left--) {
                                    open[i].allocate(1L << random.nextInt(18));
                                }
                            }
                            long had = Slabs.usedBytes(memory);
                            memory.close();
                            int _ = memory.drainAll();
                            for (Arena each : open) {
                                each.close();
                                long used = Slabs.usedBytes(memory);
                                if (background.usedWhenTold >= 0 || (had > 0 && used == 0)) {
                                    assertThat(background.usedWhenTold)
                                            .as("seed=%s", seed)
                                            .isEqualTo(used);
                                }
                            }
                            return true;
                        });
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void confirm_poolWasClosedMeanwhile_tellsWhenTheSlabIsBack(boolean virtual) {
        boolean _ =
                run(
                        virtual,
                        () -> {
                            Arena first = memory.openConfined();
                            first.allocate(8);
                            first.close();
                            long id = Thread.currentThread().threadId();
                            SlabSlots slots = (SlabSlots) SlabAudit.field(memory, "slots");
                            ConfinedArena arena =
                                    new ConfinedArena(
                                            Arena.ofConfined(),
                                            memory.registry().known(Thread.currentThread()),
                                            slots,
                                            id,
                                            SLAB_BYTES);
                            assertThat(arena.first).isNotZero();
                            memory.close();
                            assertThatIllegalStateException().isThrownBy(arena::confirm);
                            return true;
                        });
        assertThat(Slabs.usedBytes(memory)).isZero();
        assertThat(background.usedWhenTold).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allocate_ofAThreadWithoutSlabs_isSeenByALookThatBeganMeanwhile(boolean virtual) {
        boolean seen =
                run(
                        virtual,
                        () -> {
                            try (Arena arena = memory.openConfined()) {
                                arena.allocate(8);
                            }
                            return Objects.requireNonNull(background.looking).get(); // it lives
                        });
        assertThat(seen).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tick_ofAClosedPool_looksForThreadsThatKeepSomethingAlone(boolean virtual) {
        boolean looksAgain =
                run(
                        virtual,
                        () -> {
                            Arena arena = memory.openConfined();
                            arena.allocate(8);
                            try (Arena other = memory.openConfined()) {
                                other.allocate(8);
                            }
                            memory.close();
                            arena.close();
                            int _ = memory.drainAll();
                            return memory.endedThreads().run();
                        });
        assertThat(looksAgain).isFalse();
        assertThat(Slabs.usedBytes(memory)).isZero();
    }

    @Test
    void openDeferred_byManyThreadsAtATime_leavesOneGroup() throws Exception {
        for (int round = 0; round < 500; round++) {
            ArenaFactory fresh = memory(new Background());
            FutureTask<Arena> other = new FutureTask<>(fresh::openDeferred);
            Thread thread = Thread.ofPlatform().start(other);
            try (Arena _ = fresh.openDeferred();
                    Arena _ = other.get()) {
                assertThat(fresh.deferredGroups()).as("round=%s", round).isEqualTo(1);
            }
            Await.end(thread);
            fresh.close();
        }
    }
}
