package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The cache of a thread by itself, with numbers in place of slabs. */
class ThreadCacheTest {
    private final Thread thread = Thread.currentThread();

    @Test
    void take_fresh_isEmpty() {
        ThreadCache slabs = new ThreadCache(thread, 4);
        assertThat(slabs.take()).isZero();
        assertThat(slabs.ownerId).isEqualTo(thread.threadId());
        ArenaCheck.verify(slabs);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64})
    void give_asManyAsMayBe_keepsThemAndNoMore(int capacity) {
        ThreadCache slabs = new ThreadCache(thread, capacity);
        slabs.words[ThreadCache.OWNED] += capacity;
        for (int round = 0; round < 3; round++) {
            List<Long> given = new ArrayList<>();
            for (long slab = 1; slab <= capacity; slab++) {
                assertThat(slabs.give(64 * slab)).isTrue();
                given.add(64 * slab);
                ArenaCheck.verify(slabs);
            }
            assertThat(slabs.give(1 << 20)).isFalse();
            ArenaCheck.verify(slabs);
            List<Long> taken = new ArrayList<>();
            for (int i = 0; i < capacity; i++) {
                taken.add(slabs.take());
                ArenaCheck.verify(slabs);
            }
            assertThat(taken).containsExactlyInAnyOrderElementsOf(given);
            assertThat(slabs.take()).isZero();
        }
    }

    @Test
    void take_afterGive_isTheOneGivenLast() {
        ThreadCache slabs = new ThreadCache(thread, 4);
        slabs.give(64);
        assertThat(slabs.take()).isEqualTo(64);
        slabs.give(128);
        slabs.give(192);
        slabs.give(256);
        assertThat(slabs.take()).isEqualTo(128);
        assertThat(slabs.take()).isEqualTo(256);
        slabs.give(320);
        assertThat(slabs.take()).isEqualTo(320);
        assertThat(slabs.take()).isEqualTo(192);
        assertThat(slabs.take()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64})
    void mayOwn_asManyAsItKeeps_andNoMore(int capacity) {
        ThreadCache slabs = new ThreadCache(thread, capacity);
        for (int owned = 0; owned < capacity; owned++) {
            assertThat(slabs.mayOwn()).isTrue();
            slabs.words[ThreadCache.OWNED]++;
        }
        assertThat(slabs.mayOwn()).isFalse();
        ArenaCheck.verify(slabs); // all of them in open arenas
        slabs.words[ThreadCache.OWNED]--;
        assertThat(slabs.mayOwn()).isTrue();
    }

    /** Where a slab stood that an arena has, its address stands still. */
    @Test
    void keepsSome_arenasHaveAll_isFalse() {
        ThreadCache slabs = new ThreadCache(thread, 4);
        slabs.give(64);
        slabs.give(128);
        assertThat(slabs.keepsSome()).isTrue();
        assertThat(slabs.take()).isEqualTo(64);
        assertThat(slabs.keepsSome()).isTrue();
        assertThat(slabs.take()).isEqualTo(128);
        assertThat(slabs.keepsSome()).isFalse();
    }

    @Test
    void drainTo_anything_givesAllBack() {
        RecordingListener told = new RecordingListener();
        ChunkSource source =
                Slabs.source(Providers.choose().provider(), MemoryLimits.NONE, 4096, told);
        ThreadCache slabs = new ThreadCache(thread, 4);
        slabs.words[ThreadCache.OWNED] += 4;
        for (int i = 0; i < 3; i++) {
            slabs.give(Slabs.takeSlab(source));
        }
        assertThat(slabs.drainTo(source)).isEqualTo(3);
        assertThat(source.space.statistics().usedBytes()).isZero();
        SpaceCheck.verifyAtRest(source.space);
        assertThat(told.memoryFreed).isPositive();
        assertThat(slabs.drainTo(source)).isZero();
        assertThat(slabs.take()).isZero();
        ArenaCheck.verify(slabs);
        slabs.words[ThreadCache.OWNED] += 2; // the fourth is still with its arena
        assertThat(slabs.mayOwn()).isTrue();
        slabs.words[ThreadCache.OWNED]++;
        assertThat(slabs.mayOwn()).isFalse();
    }

    /** The next thread gives the rest. */
    @Test
    void drainTo_cutOff_keepsWhatIsNotGiven() {
        ChunkSource source = Slabs.source(4096);
        ThreadCache slabs = new ThreadCache(thread, 4);
        slabs.words[ThreadCache.OWNED] += 4;
        long[] taken = {Slabs.takeSlab(source), Slabs.takeSlab(source), Slabs.takeSlab(source)};
        slabs.give(taken[0]);
        slabs.give(1L << 40); // no chunk of the space: it refuses that one
        slabs.give(taken[1]);
        slabs.give(taken[2]);
        assertThatThrownBy(() -> slabs.drainTo(source)).isNotNull();
        ArenaCheck.verify(slabs);
        assertThat(source.space.statistics().usedBytes()).isEqualTo(4096);
        assertThat(slabs.take()).isEqualTo(taken[0]);
        assertThat(slabs.take()).isEqualTo(1L << 40);
        assertThat(slabs.take()).isZero();
    }

    @Test
    void ended_threadRuns_isFalseUntilItHasEnded() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    Await.open(end);
                                });
        ThreadCache slabs = new ThreadCache(other, 1);
        assertThat(slabs.ended()).isFalse();
        end.countDown();
        Await.end(other);
        assertThat(slabs.ended()).isTrue();
    }
}
