package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.chunk.ChunkLevel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who keeps slabs, and who has ended. */
class ThreadRegistryTest {
    private static final long SLAB = 4096;

    private final ChunkSource source = Slabs.source(SLAB);
    private final ThreadRegistry registry = new ThreadRegistry(source);

    @AfterEach
    void verify() {
        source.space().verifyAtRest();
    }

    @Test
    void register_aliveThreads_keepsThem() {
        for (int i = 1; i <= 10; i++) {
            registry.register(ofThisThread());
            assertThat(registry.threads()).isEqualTo(i);
        }
        assertThat(registry.reclaim()).isZero();
        assertThat(registry.threads()).isEqualTo(10);
        assertThat(registry.endedTotal()).isZero();
    }

    @Test
    void register_endedThreads_takesTheirSlabs() {
        registry.register(ofEndedThread());
        assertThat(usedBytes()).isEqualTo(2 * SLAB + ChunkLevel.SMALLEST_BYTES);
        registry.register(ofThisThread());
        assertThat(usedBytes()).isZero();
        assertThat(registry.threads()).isEqualTo(1);
        assertThat(registry.endedTotal()).isEqualTo(1);
    }

    @Test
    void register_manyShortThreads_neverPileUp() {
        for (int i = 0; i < 1000; i++) {
            registry.register(ofEndedThread());
            assertThat(registry.threads()).isLessThanOrEqualTo(ThreadRegistry.LOOK_AT);
        }
        assertThat(registry.endedTotal()).isGreaterThanOrEqualTo(1000 - ThreadRegistry.LOOK_AT);
        assertThat(usedBytes()).isLessThanOrEqualTo(3 * SLAB * (1 + ThreadRegistry.LOOK_AT));
    }

    @Test
    void register_manyShortThreadsAmongLongOnes_keepsAFractionOfTheEnded() {
        int alive = 100;
        for (int i = 0; i < alive; i++) {
            registry.register(ofThisThread());
        }
        for (int i = 0; i < 1000; i++) {
            registry.register(ofEndedThread());
            assertThat(registry.threads() - alive)
                    .isLessThanOrEqualTo(alive / 2 + ThreadRegistry.LOOK_AT);
        }
    }

    @Test
    void find_registeredThread_isItsSlabs() {
        ThreadSlabs slabs = ofThisThread();
        assertThat(registry.find(slabs.ownerId())).isNull();
        registry.register(ofEndedThread());
        registry.register(slabs);
        assertThat(registry.find(slabs.ownerId())).isSameAs(slabs);
    }

    @Test
    void reclaim_endedThreads_takesAll() {
        for (int i = 0; i < ThreadRegistry.LOOK_AT; i++) {
            registry.register(ofThisThread());
        }
        registry.register(ofEndedThread());
        registry.register(ofThisThread());
        assertThat(registry.reclaim()).isEqualTo(3);
        assertThat(registry.reclaim()).isZero();
        assertThat(usedBytes()).isZero();
        assertThat(registry.threads()).isEqualTo(ThreadRegistry.LOOK_AT + 1);
    }

    private long usedBytes() {
        return source.space().statistics().usedBytes();
    }

    private ThreadSlabs ofThisThread() {
        return new ThreadSlabs(Thread.currentThread(), 4);
    }

    private ThreadSlabs ofEndedThread() {
        return OtherThread.platform(
                () -> {
                    ThreadSlabs slabs = ofThisThread();
                    slabs.owns(2);
                    slabs.give(source.takeSlab());
                    slabs.give(source.takeSlab());
                    slabs.giveSmall(source.takeFirst(1024), slabs.nextTurn());
                    return slabs;
                });
    }
}
