package io.polder.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.background.Background;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Which arenas are tracked, and what is reported of them. */
class LeakDetectorTest {
    private static final int USED_PER_ROUND = 20;

    private final CountDownLatch over = new CountDownLatch(1);
    private final LeakDetector detector = new LeakDetector("leaking", heldUp());

    /** A background that does nothing else until the test is over: only the test ticks. */
    private Background heldUp() {
        Background background = new Background("leak-test");
        background.execute(
                () -> {
                    Await.open(over);
                });
        return background;
    }

    @BeforeEach
    void look() {
        detector.set(true, false);
    }

    private Sampler sampler() {
        return Objects.requireNonNull(detector.sampler());
    }

    @AfterEach
    void verify() {
        LeakCheck.verify(detector);
        over.countDown();
    }

    private List<LeakTracker> open(int count) {
        List<LeakTracker> trackers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            LeakTracker tracker = sampler().track(Kind.CONFINED_ARENA);
            if (tracker != null) {
                trackers.add(tracker);
            }
        }
        return trackers;
    }

    /** Thousands of leaks of one place are hundreds that are found, however short a time it is. */
    @Test
    void sampled_many_tracksTheFirstOnesAndThenFewer() {
        List<LeakTracker> few = open(16);
        assertThat(few).hasSizeGreaterThan(2);
        List<LeakTracker> trackers = open(6000);
        assertThat(trackers).hasSizeGreaterThan(40);
        assertThat(detector.tracked()).isEqualTo(few.size() + trackers.size());
        few.forEach(LeakTracker::close);
        trackers.forEach(LeakTracker::close);
        assertThat(detector.tracked()).isZero();
    }

    @Test
    void all_many_tracksEachFromNowOn() {
        List<LeakTracker> before = open(100_000);
        assertThat(before).hasSizeLessThan(100_000);
        detector.set(true, true);
        List<LeakTracker> after = open(1000);
        assertThat(after).hasSize(1000);
        before.forEach(LeakTracker::close);
        after.forEach(LeakTracker::close);
    }

    /** The faster arenas are opened, the fewer of them are tracked, and the other way round. */
    @ParameterizedTest
    @CsvSource({
        "0, 1000000, 1",
        "1, 10, 2",
        "16, 999, 17",
        "1600, 0, 1700",
        "1048576, 1, 1048576",
        "1000, 1000, 1000",
        "1000, 2000, 500",
        "1000000, 1000000, 1000",
        "1, 2000000000, 1",
        "5000, -1, 1"
    })
    void gap_always_followsTheClock(int before, int micros, int after) {
        assertThat(Sampler.nextGap(before, micros)).isEqualTo(after);
    }

    /** A gap that was long is ended where nobody comes to its end. */
    @Test
    void pull_afterAPause_tracksTheNext() throws InterruptedException {
        List<LeakTracker> trackers = open(100_000);
        int rounds = 0;
        while (detector.run() && sampler().pull()) {
            Thread.sleep(20);
            rounds++;
            assertThat(rounds).isLessThan(1000);
        }
        assertThat(sampler().track(Kind.CONFINED_ARENA)).isNotNull();
        trackers.forEach(LeakTracker::close);
    }

    /** Two places in turn: with a fixed distance, one of them would never be tracked. */
    @Test
    void sampled_inTurn_tracksEachPlace() {
        int[] tracked = new int[2];
        for (int i = 0; i < 10_000; i++) {
            LeakTracker tracker = sampler().track(Kind.SHARED_ARENA);
            if (tracker != null) {
                tracked[i % 2]++;
                LeakTracker.close(tracker);
            }
        }
        assertThat(tracked[0]).isPositive();
        assertThat(tracked[1]).isPositive();
    }

    @Test
    void close_twice_isLikeOnce() {
        LeakTracker tracker = detector.track(Kind.PAGE, Trace.here());
        tracker.holds(100);
        LeakTracker.close(tracker);
        LeakTracker.close(tracker);
        assertThat(detector.tracked()).isZero();
        assertThat(detector.run()).isFalse();
        assertThat(detector.leaked()).isZero();
    }

    /** While trackers come and go, what is looked for is not found. */
    @Test
    void closed_whileOthersLook_isNeverFound() throws InterruptedException {
        useWhileOthersLook(20);
    }

    @Tag("full")
    @Test
    void closed_manyWhileOthersLook_areNeverFound() throws InterruptedException {
        useWhileOthersLook(120);
    }

    private void useWhileOthersLook(int rounds) throws InterruptedException {
        AtomicInteger looked = new AtomicInteger();
        AtomicInteger used = new AtomicInteger();
        Thread looking =
                Thread.ofPlatform().daemon().start(() -> lookWhileOthersUse(rounds, looked, used));
        while (looking.isAlive()) {
            useOne();
            int _ = used.incrementAndGet();
        }
        Await.end(looking);
        assertThat(looked).hasValue(rounds);
        System.gc();
        boolean _ = detector.run();
        assertThat(detector.leaked()).isZero();
        assertThat(detector.tracked()).isZero();
    }

    /** Lets the others get on in between: they hardly would where collecting takes long. */
    private void lookWhileOthersUse(int rounds, AtomicInteger looked, AtomicInteger used) {
        for (int round = 1; round <= rounds; round++) {
            System.gc();
            boolean _ = detector.run();
            int _ = looked.incrementAndGet();
            int wanted = round * USED_PER_ROUND;
            Await.until(() -> used.get() >= wanted);
        }
    }

    private void useOne() {
        LeakTracker tracker = detector.track(Kind.PAGE, Trace.here());
        tracker.holds(100);
        LeakTracker.close(tracker);
    }

    @Test
    void forgotten_many_areAllCounted() {
        for (int i = 1; i <= 20; i++) {
            LeakTracker tracker = detector.track(Kind.HEAP, Trace.here());
            long bytes = i;
            tracker.holds(() -> bytes);
        }
        Collected.until(
                "all are found",
                () -> {
                    boolean _ = detector.run();
                    return detector.leaked() >= 20;
                });
        assertThat(detector.leaked()).isEqualTo(20);
        assertThat(detector.leakedBytes()).isEqualTo(210);
        assertThat(detector.sites()).singleElement().returns(Kind.HEAP, LeakRecord::kind);
        assertThat(detector.tracked()).isZero();
    }

    @Test
    void sites_ofLeaks_areThoseWithTheMostFirst() {
        for (int i = 0; i < 10; i++) {
            forget(() -> 7);
        }
        forgetElsewhere();
        Collected.until("all are found", () -> detector.leaked() == 11);
        List<LeakRecord> sites = detector.sites();
        assertThat(sites).hasSize(2);
        assertThat(sites.getFirst().count()).isEqualTo(10);
        assertThat(sites.getFirst().bytes()).isEqualTo(70);
        assertThat(sites.getFirst().kind()).isEqualTo(Kind.HEAP);
        assertThat(sites.getLast().count()).isEqualTo(1);
        assertThat(sites.getLast().kind()).isEqualTo(Kind.PAGE);
    }

    private void forgetElsewhere() {
        detector.track(Kind.PAGE, Trace.here()).holds(1);
    }

    /** Who asks has what the collector found, be it that the background never comes to it. */
    @Test
    void end_nothingToldBefore_isSaidOnce() {
        forget(() -> 100);
        forget(() -> 100);
        Collected.until("both are found", () -> detector.leaked() == 2);
        List<String> messages = detector.end();
        assertThat(messages).hasSize(2);
        assertThat(messages.getFirst()).contains("pool=leaking").contains("leaksFound=1");
        assertThat(messages.getLast()).contains("pool=leaking").contains("leaksFound=2");
        assertThat(detector.end()).isEmpty();
        assertThat(detector.run()).isFalse();
    }

    @Test
    void end_blocksOfSeveralPlaces_eachIsSaid() {
        List<LeakRecord> leaks =
                List.of(
                        new LeakRecord(Kind.BLOCKS, 1, 16, "main", List.of("a.A.a(A.java:1)")),
                        new LeakRecord(Kind.BLOCKS, 1, 32, "main", List.of("b.B.b(B.java:2)")),
                        new LeakRecord(Kind.BLOCKS, 1, 48, "main", List.of("c.C.c(C.java:3)")));
        detector.report(leaks);
        List<String> messages = detector.end();
        assertThat(messages).hasSize(3);
        for (int i = 0; i < 3; i++) {
            assertThat(messages.get(i)).contains(leaks.get(i).openedAt().getFirst());
        }
    }

    @Test
    void scopeGiven_nothingAllocated_isALeak() {
        LeakTracker tracker = detector.track(Kind.SHARED_ARENA, Trace.here());
        LeakTracker.scopeGiven(tracker);
        LeakTracker.close(tracker);
        giveScope();
        Collected.until("it is found", () -> detector.tracked() == 0);
        assertThat(detector.leaked()).isEqualTo(1);
        assertThat(detector.leakedBytes()).isZero();
    }

    private void giveScope() {
        LeakTracker.scopeGiven(detector.track(Kind.SHARED_ARENA, Trace.here()));
    }

    /** The report of one may be lost; the next is found. */
    @Test
    void tick_cutOff_losesThatOneAtMost() {
        forget(
                () -> {
                    throw new StackOverflowError("a test");
                });
        Collected.until("it is looked at", this::isCutOffOrOver);
        forget(() -> 100);
        Collected.until("the next is found", () -> detector.leaked() >= 1);
        assertThat(detector.leakedBytes()).isEqualTo(100);
        assertThat(detector.tracked()).isZero();
        assertThat(detector.run()).isFalse();
    }

    private boolean isCutOffOrOver() {
        try {
            return detector.tracked() == 0;
        } catch (StackOverflowError thrown) {
            return true;
        }
    }

    private void forget(LongSupplier bytes) {
        detector.track(Kind.HEAP, Trace.here()).holds(bytes);
    }
}
