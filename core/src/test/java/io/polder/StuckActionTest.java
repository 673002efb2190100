package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A cleanup action that waits holds up its own pool's deferred closes, and nothing else. */
@Timeout(300)
@SuppressWarnings("restricted") // the only way to register an action
class StuckActionTest {
    private static final long MIB = 1 << 20;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).decay(Duration.ofMillis(10)).build();
    }

    /** Closes a deferred arena with an action that waits, and returns when it does. */
    private void closeWithStuckAction(MemoryPool pool) throws InterruptedException {
        Arena arena = pool.openSharedDeferred();
        var _ = arena.allocate(8).reinterpret(8, arena, _ -> awaitGo());
        arena.close();
        Await.open(entered);
    }

    private void awaitGo() {
        entered.countDown();
        Await.open(go);
    }

    @Test
    void close_actionThatWaits_otherPoolsAndItsOwnDecay() throws Exception {
        try (MemoryPool stuck = pool("stuck");
                MemoryPool other = pool("other")) {
            closeWithStuckAction(stuck);
            for (MemoryPool each : new MemoryPool[] {other, stuck}) {
                try (Arena arena = each.openShared()) {
                    arena.allocate(2 * MIB).fill((byte) 1);
                    arena.allocate(40 * MIB).fill((byte) 1);
                }
                Await.until("memory decays", () -> each.stats().committedBytes() < MIB);
            }
            AtomicInteger closed = new AtomicInteger();
            Arena deferred = other.openSharedDeferred();
            var _ = deferred.allocate(8).reinterpret(8, deferred, _ -> closed.incrementAndGet());
            deferred.close();
            Await.until("deferred arenas of other pools are closed", () -> closed.get() == 1);
            go.countDown();
        }
    }

    /** What waits behind the action is closed by the thread that closes more of them. */
    @Test
    void close_manyBehindAnActionThatWaits_areClosedByWhoCloses() throws Exception {
        try (MemoryPool stuck = pool("stuck")) {
            closeWithStuckAction(stuck);
            AtomicInteger actions = new AtomicInteger();
            for (int i = 0; i < 400; i++) {
                Arena arena = stuck.openSharedDeferred();
                var _ =
                        arena.allocate(900_000) // so that each is a group of its own
                                .reinterpret(8, arena, _ -> actions.incrementAndGet());
                arena.close();
            }
            assertThat(actions.get()).isGreaterThan(200);
            go.countDown();
            Await.until("all are closed", () -> actions.get() == 400);
        }
    }

    @Test
    void close_poolWithAnActionThatWaits_isReleasedAfterIt() throws Exception {
        MemoryPool stuck = pool("stuck");
        closeWithStuckAction(stuck);
        stuck.close();
        assertThat(stuck.stats().reservedBytes()).as("memory of the arena").isPositive();
        go.countDown();
        Await.until("the pool is released", () -> stuck.stats().reservedBytes() == 0);
    }
}
