package io.polder.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.background.Background;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Which arenas are tracked, and what is reported of them. */
class LeakDetectorTest {
    private static final int ONE_IN = 16;

    private final CountDownLatch over = new CountDownLatch(1);
    private final LeakDetector detector = new LeakDetector("leaking", ONE_IN, heldUp());

    /** A background that does nothing else until the test is over: only the test ticks. */
    private Background heldUp() {
        Background background = new Background("leak-test");
        background.execute(
                () -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        return background;
    }

    @AfterEach
    void verify() {
        detector.verify();
        over.countDown();
    }

    private List<LeakTracker> open(int count) {
        List<LeakTracker> trackers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LeakTracker tracker = detector.sampler().track(Kind.CONFINED_ARENA);
            if (tracker != null) {
                trackers.add(tracker);
            }
        }
        return trackers;
    }

    @Test
    void sampled_many_isOneInSoManyOnAverage() {
        int count = 100_000;
        List<LeakTracker> trackers = open(count);
        assertThat(trackers.size()).isBetween(count / ONE_IN / 2, 2 * count / ONE_IN);
        assertThat(detector.tracked()).isEqualTo(trackers.size());
        trackers.forEach(LeakTracker::close);
        assertThat(detector.tracked()).isZero();
    }

    /** Two places in turn: with a fixed distance, one of them would never be tracked. */
    @Test
    void sampled_inTurn_tracksEachPlace() {
        int[] tracked = new int[2];
        for (int i = 0; i < 10_000; i++) {
            LeakTracker tracker = detector.sampler().track(Kind.SHARED_ARENA);
            if (tracker != null) {
                tracked[i % 2]++;
                tracker.close();
            }
        }
        assertThat(tracked[0]).isPositive();
        assertThat(tracked[1]).isPositive();
    }

    @Test
    void close_twice_isLikeOnce() {
        LeakTracker tracker = detector.track(Kind.PAGE);
        tracker.holds(100);
        tracker.close();
        tracker.close();
        assertThat(detector.tracked()).isZero();
        assertThat(detector.tick()).isFalse();
        assertThat(detector.leaked()).isZero();
    }

    /** While trackers come and go, what is looked for is not found. */
    @Test
    void closed_whileOthersLook_isNeverFound() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread looking =
                new Thread(
                        () -> {
                            while (!over.get()) {
                                System.gc();
                                boolean _ = detector.tick();
                            }
                        });
        looking.start();
        for (int i = 0; i < 20_000; i++) {
            useOne();
        }
        over.set(true);
        looking.join();
        System.gc();
        boolean _ = detector.tick();
        assertThat(detector.leaked()).isZero();
        assertThat(detector.tracked()).isZero();
    }

    private void useOne() {
        LeakTracker tracker = detector.track(Kind.PAGE);
        tracker.holds(100);
        tracker.close();
    }

    @Test
    void forgotten_many_areAllCountedAndTheLastFewRemembered() {
        for (int i = 1; i <= 20; i++) {
            LeakTracker tracker = detector.track(Kind.HEAP);
            long bytes = i;
            tracker.holds(() -> bytes);
        }
        int rounds = 0;
        while (detector.leaked() < 20) {
            System.gc();
            boolean _ = detector.tick();
            rounds++;
            assertThat(rounds).as("collections that find nothing").isLessThan(10_000);
        }
        assertThat(detector.leaked()).isEqualTo(20);
        assertThat(detector.leakedBytes()).isEqualTo(210);
        assertThat(detector.latest()).hasSize(8).allMatch(found -> found.kind() == Kind.HEAP);
        assertThat(detector.tracked()).isZero();
    }

    /** What the collector has found is found once: a tick that drops it would lose it for good. */
    @Test
    void tick_cutOff_isGoneOnWithByTheNext() {
        int[] asked = new int[1];
        forget(
                () -> {
                    asked[0]++;
                    if (asked[0] <= 2) {
                        throw new StackOverflowError("a test");
                    }
                    return 100;
                });
        int cutOff = 0;
        int rounds = 0;
        while (detector.leaked() < 1) {
            System.gc();
            try {
                boolean _ = detector.tick();
            } catch (StackOverflowError thrown) {
                cutOff++;
            }
            rounds++;
            assertThat(rounds).as("collections that find nothing").isLessThan(10_000);
        }
        assertThat(cutOff).isEqualTo(2);
        assertThat(detector.leakedBytes()).isEqualTo(100);
        assertThat(detector.tracked()).isZero();
        assertThat(detector.tick()).isFalse();
    }

    private void forget(LongSupplier bytes) {
        detector.track(Kind.HEAP).holds(bytes);
    }
}
