package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** A space is closed while another thread is in the middle of a take. */
class PageCloseTest extends PageFixture {
    private final CountDownLatch reserving = new CountDownLatch(1);
    private final CountDownLatch mayReserve = new CountDownLatch(1);

    /** Reserves when that is allowed. */
    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public long reserve(long bytes, long alignment) {
                reserving.countDown();
                Await.open(mayReserve);
                return super.reserve(bytes, alignment);
            }
        };
    }

    @Test
    void close_whileAnotherThreadReserves_leavesNothingReserved() {
        PageSpace space = space(64 * MIB);
        try (ScriptedThread taker = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Boolean> taken =
                    taker.begin(
                            () -> {
                                assertThatIllegalStateException().isThrownBy(() -> small(space));
                                return true;
                            });
            Await.open(reserving);
            FutureTask<Boolean> closed = closer.beginBlocking(space::close);
            mayReserve.countDown();
            boolean _ = ScriptedThread.get(taken);
            boolean _ = ScriptedThread.get(closed);
            assertThat(space.statistics().reservedBytes()).isZero();
        } finally {
            mayReserve.countDown();
        }
    }
}
