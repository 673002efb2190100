package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.Fences;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * How often one who waits fences all threads. A fence may be a handshake, which takes up to a
 * second where threads that run have no processor.
 */
class FencesOfAWaitTest {
    /** One when it begins, and one before it sleeps, however many stay inside and for how long. */
    private static final int FENCES_MAX = 2;

    @Test
    @Timeout(300)
    void close_manyReadersStayInside_fencesAsOftenAsForOne() throws InterruptedException {
        AtomicInteger fences = new AtomicInteger();
        Runnable handshake = Fences.handshake();
        Gate gate =
                new Gate(
                        () -> {
                            fences.incrementAndGet();
                            handshake.run();
                        });
        Scopes scopes = new Scopes(gate);
        Semaphore sleeps = new Semaphore(0);
        gate.whileWaiting(sleeps, Semaphore::release);
        List<ScriptedThread> readers = Stream.generate(ScriptedThread::platform).limit(3).toList();
        try (ScriptedThread closer = ScriptedThread.platform()) {
            readers.forEach(reader -> reader.run(scopes::enter));
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            for (ScriptedThread reader : readers) {
                sleeps.acquire(3);
                assertThat(closed.isDone()).isFalse();
                reader.run(scopes::leave);
            }
            ScriptedThread.get(closed);
            assertThat(fences).hasValueLessThanOrEqualTo(FENCES_MAX);
        } finally {
            readers.forEach(ScriptedThread::close);
        }
        GateCheck.verifyClosed(gate);
    }
}
