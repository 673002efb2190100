package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The cache of a thread by itself, with numbers in place of slabs. */
class ThreadSlabsTest {
    private final Thread thread = Thread.currentThread();

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void create_capacityBelowOne_isRefused(int capacity) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ThreadSlabs(thread, capacity))
                .withMessage("a thread keeps at least one slab: capacity=" + capacity);
    }

    @Test
    void take_fresh_isEmpty() {
        ThreadSlabs slabs = new ThreadSlabs(thread, 4);
        assertThat(slabs.take()).isZero();
        assertThat(slabs.ownerId()).isEqualTo(thread.threadId());
        slabs.verify();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64})
    void give_asManyAsMayBe_keepsThemAndNoMore(int capacity) {
        ThreadSlabs slabs = new ThreadSlabs(thread, capacity);
        for (int round = 0; round < 3; round++) {
            List<Long> given = new ArrayList<>();
            for (long slab = 1; slab <= capacity; slab++) {
                assertThat(slabs.give(64 * slab)).isTrue();
                given.add(64 * slab);
                slabs.verify();
            }
            assertThat(slabs.give(1 << 20)).isFalse();
            slabs.verify();
            List<Long> taken = new ArrayList<>();
            for (int i = 0; i < capacity; i++) {
                taken.add(slabs.take());
                slabs.verify();
            }
            assertThat(taken).containsExactlyInAnyOrderElementsOf(given);
            assertThat(slabs.take()).isZero();
        }
    }

    @Test
    void take_afterGive_isTheOneGivenLast() {
        ThreadSlabs slabs = new ThreadSlabs(thread, 4);
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

    @Test
    void drainTo_anything_removesAll() {
        ThreadSlabs slabs = new ThreadSlabs(thread, 4);
        slabs.give(64);
        slabs.give(128);
        slabs.give(192);
        List<Long> drained = new ArrayList<>();
        assertThat(slabs.drainTo(drained::add)).isEqualTo(3);
        assertThat(drained).containsExactlyInAnyOrder(64L, 128L, 192L);
        assertThat(slabs.drainTo(drained::add)).isZero();
        slabs.verify();
    }

    @Test
    void ended_threadRuns_isFalseUntilItHasEnded() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        end.await();
                                    } catch (InterruptedException unexpected) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        ThreadSlabs slabs = new ThreadSlabs(other, 1);
        assertThat(slabs.ended()).isFalse();
        end.countDown();
        other.join();
        assertThat(slabs.ended()).isTrue();
    }
}
