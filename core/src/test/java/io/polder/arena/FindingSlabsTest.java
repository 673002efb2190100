package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.chunk.SpaceCheck;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;

/** Each thread finds its own slabs, and no other thread's. */
class FindingSlabsTest {
    private final ChunkSource source = Slabs.source(4096);
    private final ThreadRegistry registry = new ThreadRegistry(source, Integer.MAX_VALUE, 2);

    @AfterEach
    void verify() {
        ArenaCheck.verify(registry);
        SpaceCheck.verifyAtRest(source.space);
    }

    @Test
    void find_again_isTheSame() {
        ThreadCache first = find();
        assertThat(first.ownerId).isEqualTo(Thread.currentThread().threadId());
        assertThat(find()).isSameAs(first);
        assertThat(registry.threads()).isEqualTo(1);
    }

    @Test
    void known_threadThatHasUsedTheTable_isItsSlabs() {
        assertThat(registry.known(Thread.currentThread())).isNull();
        assertThat(registry.threads()).isZero();
        ThreadCache mine = find();
        assertThat(registry.known(Thread.currentThread())).isSameAs(mine);
        assertThat(
                        OtherThread.<Boolean>virtual(
                                () -> registry.known(Thread.currentThread()) == null))
                .isTrue();
    }

    @Test
    void find_inAVirtualThread_isNone() {
        assertThat(OtherThread.<Boolean>virtual(this::findsNone)).isTrue();
        assertThat(registry.threads()).isZero();
    }

    /** Or else all of them would queue up, while others run that allocate, too. */
    @Test
    void find_byAVirtualThreadWhileAnotherClaims_doesNotWait() throws Exception {
        Thread claiming = Thread.ofVirtual().unstarted(this::findEarned);
        synchronized (registry) {
            claiming.start();
            Await.until(() -> registry.virtualClaims);
            assertThat(OtherThread.<Boolean>virtual(() -> findEarned() == null)).isTrue();
        }
        Await.end(claiming);
        assertThat(registry.threads()).isEqualTo(1);
        assertThat(OtherThread.<Boolean>virtual(() -> findEarned() != null)).isTrue();
    }

    private @Nullable ThreadCache findEarned() {
        return registry.find(Thread.currentThread(), true);
    }

    @Test
    void find_byManyThreads_isEachItsOwn() {
        Set<ThreadCache> found = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            found.add(OtherThread.platform(this::find));
        }
        assertThat(found).hasSize(100);
    }

    @Test
    void find_entryOfAnotherLivingThread_isNone() throws Exception {
        ThreadCache here = find();
        Thread self = Thread.currentThread();
        List<Boolean> none = OtherThread.colliding(self, () -> List.of(findsNone(), findsNone()));
        assertThat(none).containsExactly(true, true);
        assertThat(find()).isSameAs(here);
        assertThat(registry.threads()).isEqualTo(1);
    }

    @Test
    void find_idNamesTheEntryOfAnEndedThread_claimsIt() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch found = new CountDownLatch(1);
        Thread first =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    find();
                                    found.countDown();
                                    Await.open(end);
                                });
        Await.open(found);
        end.countDown();
        Await.end(first);
        ThreadCache second = OtherThread.colliding(first, this::find);
        assertThat(second.ended()).isTrue();
        assertThat(registry.endedTotal).isEqualTo(1);
    }

    @Test
    void find_virtualThreadWhoseIdNamesAnEntry_isNone() throws Exception {
        find();
        long wanted = Thread.currentThread().threadId() % ThreadRegistry.ENTRIES;
        Thread virtual = Thread.ofVirtual().unstarted(() -> {});
        FutureTask<Boolean> task =
                new FutureTask<>(() -> registry.find(Thread.currentThread(), false) == null);
        while (virtual.threadId() % ThreadRegistry.ENTRIES != wanted) {
            virtual = Thread.ofVirtual().unstarted(task);
        }
        virtual.start();
        assertThat(task.get()).isTrue();
    }

    @Test
    void find_threadLocalsErased_isTheSame() throws Exception {
        Set<ThreadCache> found = new HashSet<>();
        try (ForkJoinPool pool = forgetful()) {
            for (int i = 0; i < 20; i++) {
                found.add(pool.submit(this::find).get());
            }
        }
        assertThat(found).hasSize(1);
        assertThat(registry.threads()).isEqualTo(1);
    }

    private boolean findsNone() {
        return registry.find(Thread.currentThread(), false) == null;
    }

    private ThreadCache find() {
        return Objects.requireNonNull(registry.find(Thread.currentThread(), false));
    }

    /** A pool of one thread, which erases its thread-locals after each task. */
    private static ForkJoinPool forgetful() {
        return new ForkJoinPool(1, Forgetful::new, null, false);
    }

    /** A thread that keeps no thread-locals. */
    private static final class Forgetful extends ForkJoinWorkerThread {
        Forgetful(ForkJoinPool pool) {
            super(null, pool, false);
        }
    }
}
