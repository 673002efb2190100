package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** A space is trimmed while another thread has isolated some of it, and takes its time. */
class BusyTrimTest extends PageFixture {
    private final CountDownLatch uncommitting = new CountDownLatch(1);
    private final CountDownLatch mayUncommit = new CountDownLatch(1);

    /** Has the first thread that uncommits wait. */
    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void uncommit(long[] addresses, long[] sizes, int count) {
                boolean first = uncommitting.getCount() > 0;
                uncommitting.countDown();
                if (first) {
                    Await.open(mayUncommit);
                }
                super.uncommit(addresses, sizes, count);
            }
        };
    }

    @Test
    void trim_whileAnotherThreadIsInASystemCall_ends() {
        MovableMemory.assume();
        PageSpace space = space(64 * MIB);
        Extent first = space.take(4 * MIB, false);
        Extent second = space.take(8 * MIB, false);
        space.give(first, 0);
        try (ScriptedThread other = ScriptedThread.platform()) {
            FutureTask<Long> begun = other.begin(() -> space.uncommitFree(4 * MIB));
            Await.open(uncommitting);
            space.give(second, 0);
            assertThat(space.trim()).isEqualTo(8 * MIB);
            assertThat(space.releaseFree(Long.MAX_VALUE)).isZero();
            assertThat(space.uncommitFree(Long.MAX_VALUE)).isZero();
            mayUncommit.countDown();
            assertThat(ScriptedThread.get(begun)).isEqualTo(4 * MIB);
        } finally {
            mayUncommit.countDown();
        }
        assertThat(space.statistics().committedBytes()).isZero();
    }
}
