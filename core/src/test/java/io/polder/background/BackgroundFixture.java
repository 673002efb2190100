package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/**
 * Fixture: a background whose clock the test turns. Nothing here depends on how long anything
 * takes; what never comes fails by the time-out. After each test the thread must end, being idle.
 */
@Timeout(300)
class BackgroundFixture {
    static final long PERIOD = 1000;
    static final long IDLE = 10_000;

    /** Close to where the numbers wrap around. */
    final ManualClock clock = new ManualClock(Long.MAX_VALUE - 5 * PERIOD);

    final LogRecorder log = new LogRecorder();
    final List<Thread> started = new CopyOnWriteArrayList<>();
    final Background background = new Background("test", this::make, clock, IDLE, log, null);

    private Thread make(Runnable work) {
        Thread made = Thread.ofPlatform().daemon().unstarted(work);
        started.add(made);
        return made;
    }

    @AfterEach
    final void end() throws InterruptedException {
        BackgroundCheck.verify(background);
        endThread();
    }

    /** Waits for the thread to end because it is idle. */
    final void endThread() throws InterruptedException {
        Thread thread = background.thread();
        if (thread != null) {
            while (thread.isAlive()) { // what is left to do is done first
                clock.advance(IDLE);
                thread.join(1);
            }
        }
        assertThat(background.thread()).isNull();
    }

    /** Returns when all that is due now has run. */
    final void settle() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        background.execute(done::countDown);
        Await.open(done);
        BackgroundCheck.verify(background);
    }

    final void advance(long nanos) throws InterruptedException {
        settle();
        clock.advance(nanos);
        settle();
    }

    final Thread thread() {
        return Objects.requireNonNull(background.thread());
    }

    /** A step that counts its runs, and can be held in the middle. */
    static final class Counter implements Step {
        final Semaphore entered = new Semaphore(0);
        final Semaphore gate = new Semaphore(0);
        private final boolean held;
        private final BooleanSupplier more;
        private volatile int runs;
        private volatile int ended;

        Counter(boolean held, BooleanSupplier more) {
            this.held = held;
            this.more = more;
        }

        static Counter once() {
            return new Counter(false, () -> false);
        }

        static Counter held() {
            return new Counter(true, () -> false);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread runs steps
        public boolean run() {
            runs++;
            entered.release();
            if (held) {
                gate.acquireUninterruptibly();
            }
            boolean again = more.getAsBoolean();
            ended++;
            return again;
        }

        int runs() {
            return runs;
        }

        int ended() {
            return ended;
        }
    }
}
