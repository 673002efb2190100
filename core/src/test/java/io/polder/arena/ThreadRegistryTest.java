package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.chunk.SpaceCheck;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Who keeps slabs, and who has ended. */
class ThreadRegistryTest {
    private static final long SLAB = 4096;
    private static final long NO_SLAB = 1L << 40;

    private final ChunkSource source = Slabs.source(SLAB);
    private final ThreadRegistry registry = new ThreadRegistry(source, Integer.MAX_VALUE, 2);

    @AfterEach
    void verify() {
        ArenaCheck.verify(registry);
        SpaceCheck.verifyAtRest(source.space);
    }

    @Test
    void register_aliveThreads_keepsThem() {
        for (int i = 1; i <= 10; i++) {
            registry.register(ofThisThread());
            assertThat(registry.threads()).isEqualTo(i);
        }
        assertThat(registry.reclaim()).isZero();
        assertThat(registry.threads()).isEqualTo(10);
        assertThat(registry.endedTotal).isZero();
    }

    @Test
    void register_endedThreads_takesTheirSlabs() {
        registry.register(ofEndedThread());
        assertThat(usedBytes()).isEqualTo(2 * SLAB);
        registry.register(ofThisThread());
        assertThat(usedBytes()).isZero();
        assertThat(registry.threads()).isEqualTo(1);
        assertThat(registry.endedTotal).isEqualTo(1);
    }

    @Test
    void register_manyShortThreads_neverPileUp() {
        for (int i = 0; i < 1000; i++) {
            registry.register(ofEndedThread());
            assertThat(registry.threads()).isLessThanOrEqualTo(ThreadRegistry.LOOK_AT);
        }
        assertThat(registry.endedTotal).isGreaterThanOrEqualTo(1000 - ThreadRegistry.LOOK_AT);
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
    void reclaim_endedThreads_takesAll() {
        for (int i = 0; i < ThreadRegistry.LOOK_AT; i++) {
            registry.register(ofThisThread());
        }
        registry.register(ofThisThread());
        registry.register(ofEndedThread());
        assertThat(registry.reclaim()).isEqualTo(2);
        assertThat(registry.reclaim()).isZero();
        assertThat(usedBytes()).isZero();
        assertThat(registry.threads()).isEqualTo(ThreadRegistry.LOOK_AT + 1);
    }

    @Test
    void register_moreThanMayKeep_letsTheFirstKeep() {
        ThreadRegistry limited = new ThreadRegistry(source, 3, 2);
        for (int i = 0; i < 10; i++) {
            ThreadCache slabs = ofThisThread();
            limited.register(slabs);
            ArenaCheck.verify(limited);
            assertThat(slabs.keeperId).isEqualTo(i < 3 ? slabs.ownerId : 0);
            assertThat(limited.mayKeep(slabs)).isEqualTo(i < 3);
        }
        ArenaCheck.verify(limited);
    }

    @Test
    void mayKeep_aKeeperHasEnded_isTheNextOne() {
        ThreadRegistry limited = new ThreadRegistry(source, 1, 2);
        ThreadCache ended = ofEndedThread();
        ThreadCache first = ofThisThread();
        ThreadCache second = ofThisThread();
        limited.register(ended);
        assertThat(ended.keeperId).isEqualTo(ended.ownerId);
        limited.register(first); // which looks at the other
        limited.register(second);
        assertThat(first.keeperId).isEqualTo(first.ownerId);
        assertThat(limited.mayKeep(second)).isFalse();
        assertThat(limited.threads()).isEqualTo(2);
        ArenaCheck.verify(limited);
    }

    @Test
    void mayKeep_laterThanItRegistered_isPossibleOnceAKeeperHasEnded() {
        ThreadRegistry limited = new ThreadRegistry(source, 1, 2);
        CountDownLatch end = new CountDownLatch(1);
        Thread other = Thread.ofPlatform().start(() -> Await.open(end));
        ThreadCache keeper = new ThreadCache(other, 4);
        ThreadCache mine = ofThisThread();
        limited.register(keeper);
        limited.register(mine);
        assertThat(limited.mayKeep(mine)).isFalse();
        end.countDown();
        Await.end(other);
        assertThat(limited.mayKeep(mine)).isTrue();
        assertThat(mine.keeperId).isEqualTo(mine.ownerId);
        assertThat(limited.threads()).isEqualTo(1);
        ArenaCheck.verify(limited);
    }

    /** Nobody else may come by for long: so who is about to be refused looks at some itself. */
    @Test
    void find_asManyVirtualThreadsHaveEndedAsMayKeep_letsTheNextKeep() {
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ThreadRegistry.VIRTUALS_MAX; i++) {
            CountDownLatch found = new CountDownLatch(1);
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        assertThat(find()).isNotNull();
                                        found.countDown();
                                        Await.open(end);
                                    }));
            Await.open(found);
        }
        assertThat(OtherThread.<@Nullable ThreadCache>virtual(this::find)).isNull();
        end.countDown();
        threads.forEach(Await::end);
        assertThat(OtherThread.<@Nullable ThreadCache>virtual(this::find)).isNotNull();
    }

    private @Nullable ThreadCache find() {
        return registry.find(Thread.currentThread(), true);
    }

    /** A thread that could not give is looked at again, with what it still has. */
    @Test
    void reclaim_cutOff_forgetsNobody() {
        ThreadCache broken = ofEndedThread();
        broken.words[ThreadCache.OWNED]++;
        broken.give(NO_SLAB); // the space refuses it
        registry.register(broken);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(registry::reclaim).isNotNull();
            ArenaCheck.verify(registry);
            assertThat(registry.known).containsExactly(broken);
        }
        long top = broken.take();
        assertThat(broken.take()).isEqualTo(NO_SLAB);
        broken.give(top);
        broken.words[ThreadCache.OWNED]--;
        assertThat(registry.reclaim()).isPositive();
        assertThat(registry.known).isEmpty();
        assertThat(usedBytes()).isZero();
    }

    /** An error may end the look whether what was taken was revoked: then that is put back. */
    @Test
    void revoke_whatAnErrorPutBackIsAnothersByNow_leavesItToThat() {
        long slab = revokedAndPutBack();
        assertThat(registry.revoke()).isZero();
        assertThat(usedBytes()).isEqualTo(SLAB);
        assertThat(registry.known.getFirst().take()).isZero();
        Slabs.giveClean(source, slab);
    }

    @Test
    void drain_whatAnErrorPutBackIsAnothersByNow_leavesItToThat() {
        long slab = revokedAndPutBack();
        assertThat(registry.drain(registry.known.getFirst())).isZero();
        assertThat(usedBytes()).isEqualTo(SLAB);
        assertThat(registry.known.getFirst().take()).isZero();
        Slabs.giveClean(source, slab);
    }

    /** Returns a slab that another one has, and that an error put back after it was revoked. */
    private long revokedAndPutBack() {
        registry.fence = () -> {};
        ThreadCache mine = ofThisThread();
        registry.register(mine);
        long slab = Slabs.takeSlab(source);
        mine.words[ThreadCache.OWNED]++;
        mine.give(slab);
        assertThat(registry.revoke()).isEqualTo(1);
        assertThat(Slabs.takeSlab(source)).as("the first free one").isEqualTo(slab);
        mine.words[ThreadCache.TOP] = slab; // by stores: see ArenaFactory.openConfinedUnlessClosed
        return slab;
    }

    /** Then it has stayed with the thread. */
    @Test
    void revoke_spaceRefusesASlab_notesNothingOfIt() {
        registry.fence = () -> {};
        ThreadCache mine = ofThisThread();
        registry.register(mine);
        mine.words[ThreadCache.OWNED]++;
        mine.give(NO_SLAB);
        assertThatThrownBy(registry::revoke).isNotNull();
        assertThat(registry.confirm(mine, mine.take())).isEqualTo(NO_SLAB);
    }

    private long usedBytes() {
        return source.space.statistics().usedBytes();
    }

    private ThreadCache ofThisThread() {
        return new ThreadCache(Thread.currentThread(), 4);
    }

    private ThreadCache ofEndedThread() {
        return OtherThread.platform(
                () -> {
                    ThreadCache slabs = ofThisThread();
                    slabs.words[ThreadCache.OWNED] += 2;
                    slabs.give(Slabs.takeSlab(source));
                    slabs.give(Slabs.takeSlab(source));
                    return slabs;
                });
    }
}
