package io.polder.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Steps that are held up at random, in a time that runs a thousand times as fast, while any call of
 * the clock may be cut short: no step runs in two threads at once, no work is lost, and all threads
 * end.
 */
@Timeout(300)
class BackgroundHeldUpRaceTest {
    private static final int TASKS = 6;
    private static final int WAKERS = 3;
    private static final int HAND_OVERS = 300;
    private static final long FASTER = 1000;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LogRecorder log = new LogRecorder();
    private final List<Thread> started = new CopyOnWriteArrayList<>();
    private final AtomicInteger handedOver = new AtomicInteger();
    private final AtomicLong wakes = new AtomicLong();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicReference<String> mistake = new AtomicReference<>("");

    /** Cuts off one call in so many; 0 for none. */
    private volatile int cutsOneIn;

    private final Clock clock =
            new Clock() {
                private final AtomicLong calls = new AtomicLong(System.nanoTime());

                private void cut() {
                    int oneIn = cutsOneIn;
                    long call = calls.incrementAndGet() * 0x9E37_79B9_7F4A_7C15L;
                    if (oneIn > 0 && (call >>> 33) % oneIn == 0) {
                        cuts.incrementAndGet();
                        throw new StackOverflowError("a test");
                    }
                }

                @Override
                public long nanoTime() {
                    cut();
                    return System.nanoTime() * FASTER;
                }

                @Override
                public void await(Object monitor, long nanos) throws InterruptedException {
                    cut();
                    Clock.SYSTEM.await(monitor, Math.max(1, nanos / FASTER));
                }
            };

    private final Background background =
            new Background(
                    "test",
                    work -> {
                        Thread made = Thread.ofPlatform().daemon().unstarted(work);
                        started.add(made);
                        return made;
                    },
                    clock,
                    IDLE_NANOS,
                    log,
                    null);

    /** A task, and what there is to do for it. */
    private final class Work implements Step {
        final AtomicLong waiting = new AtomicLong();
        final AtomicLong done = new AtomicLong();
        final Task task = background.task(this, TimeUnit.MILLISECONDS.toNanos(1));
        private final AtomicBoolean inStep = new AtomicBoolean();
        private final SplittableRandom random;

        Work(SplittableRandom random) {
            this.random = random;
        }

        @Override
        public boolean run() {
            if (inStep.getAndSet(true)) {
                mistake.set("in two threads at once");
            }
            done.addAndGet(waiting.getAndSet(0));
            if (random.nextInt(5) == 0) {
                beHeldUp(random.nextInt(2000));
            }
            boolean more = random.nextInt(4) == 0;
            inStep.set(false);
            return more;
        }

        private void beHeldUp(int micros) {
            long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
            while (System.nanoTime() < end) {
                try {
                    task.heldUp();
                } catch (StackOverflowError cutOff) {
                    // so it is called again
                }
                Thread.onSpinWait();
            }
            if (background.thread() != Thread.currentThread()) {
                handedOver.incrementAndGet();
            }
        }
    }

    private static void until(Runnable action) {
        while (true) {
            try {
                action.run();
                return;
            } catch (StackOverflowError cutOff) {
                // once more
            }
        }
    }

    @Test
    void heldUp_noCallCutOff_losesNoWork() {
        long seed = Seed.get();
        Seed.naming(seed, () -> race(new SplittableRandom(seed)));
        assertThat(log.entries()).isEmpty();
    }

    @Test
    void heldUp_anyCallCutOff_losesNoWork() {
        cutsOneIn = 30;
        long seed = Seed.get();
        Seed.naming(seed, () -> race(new SplittableRandom(seed)));
        assertThat(cuts).hasPositiveValue();
    }

    private void race(SplittableRandom random) throws InterruptedException {
        List<Work> all = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            all.add(new Work(random.split()));
        }
        List<Thread> wakers = new ArrayList<>();
        for (int i = 0; i < WAKERS; i++) {
            SplittableRandom mine = random.split();
            wakers.add(Thread.ofPlatform().start(() -> wake(all, mine)));
        }
        for (Thread waker : wakers) {
            Await.end(waker);
        }
        // Nobody wakes them any more.
        Await.until(
                "all is done",
                () -> all.stream().mapToLong(each -> each.done.get()).sum() == wakes.get());
        for (Work each : all) {
            until(each.task::cancel);
            assertThat(each.inStep).isFalse();
        }
        cutsOneIn = 0;
        for (Thread each : started) {
            Await.end(each);
        }
        assertThat(background.thread()).isNull();
        BackgroundCheck.verify(background);
        assertThat(mistake).hasValue("");
    }

    private void wake(List<Work> all, SplittableRandom random) {
        while (handedOver.get() < HAND_OVERS) {
            long round = wakes.incrementAndGet();
            Work each = all.get(random.nextInt(all.size()));
            each.waiting.incrementAndGet();
            until(each.task::wake);
            if (round % 16 == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
