package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** A virtual thread that is inside and cannot leave its carrier. */
@Timeout(300)
class PinnedReaderTest {
    private static final CountDownLatch PINNED = new CountDownLatch(1);
    private static final CountDownLatch UNPIN = new CountDownLatch(1);

    /** While its class is initialised a virtual thread cannot leave its carrier. */
    private static final class Pinning {
        static final boolean DONE = pin();

        private Pinning() {}

        private static boolean pin() {
            PINNED.countDown();
            Await.open(UNPIN);
            return true;
        }
    }

    @Test
    void close_virtualThreadPinnedInside_waitsForIt() throws Exception {
        Gate gate = new Gate(ProcessFence.ofThisProcess());
        Scopes scopes = new Scopes(gate);
        try (ScriptedThread inside = ScriptedThread.virtual();
                ScriptedThread closer = ScriptedThread.platform()) {
            inside.run(scopes::enter);
            FutureTask<Boolean> pinned = inside.begin(() -> Pinning.DONE);
            Await.open(PINNED);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            UNPIN.countDown();
            assertThat(ScriptedThread.get(pinned)).isTrue();
            assertThat(closed.isDone()).isFalse();
            inside.run(scopes::leave);
            ScriptedThread.get(closed);
        }
        GateCheck.verifyEmpty(gate);
    }
}
