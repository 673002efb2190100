package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What readers do while a fence is tried out, and once that is over. */
@Timeout(300)
class FenceSelfTestTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final AtomicInteger fences = new AtomicInteger();
    private final GateFence underTest = GateFence.underTest(fences::incrementAndGet);
    private final GateFence good = GateFence.full();

    private static FenceSelfTest.Plan plan(int rounds, int runsMax, long runNanos) {
        return new FenceSelfTest.Plan(rounds, runsMax, runNanos, 1, 1);
    }

    @Test
    void run_enoughGoodRounds_freesGatesOfBeforeAndAfter() {
        SlotGate before = new SlotGate(underTest);
        before.enter();
        assertThat(before.statistics().fence())
                .isEqualTo("full fence: the asymmetric one is under test");
        FenceSelfTest.run(underTest, good, plan(300, 1, SHORT_NANOS));
        assertThat(underTest.isAsymmetric()).isTrue();
        assertThat(underTest.signals()).isZero();
        assertThat(before.statistics().fence())
                .matches("asymmetric fence: tested [0-9]+ times in 1 runs, bad 0.*");
        before.leave();
        before.synchronize();
        SlotGate after = new SlotGate(underTest);
        after.enter();
        after.leave();
        GateCheck.verifyEmpty(before);
        GateCheck.verifyEmpty(after);
        assertThat(fences.get()).as("fences of the waiter").isEqualTo(1);
    }

    @Test
    void run_aRoundARun_addsUpThoseThatMet() {
        FenceSelfTest.run(underTest, good, plan(3, 30, 0));
        assertThat(underTest.isAsymmetric()).isTrue();
        assertThat(underTest.reason())
                .matches(
                        "asymmetric fence: tested (3 times in [0-9]+ runs, bad 0"
                                + "|[0-2] times in 30 runs, bad 0; too busy for 3)");
    }

    @Test
    void run_tooFewRounds_isContentWithThemAndSaysSo() {
        SlotGate gate = new SlotGate(underTest);
        FenceSelfTest.run(underTest, good, plan(300, 3, 0));
        assertThat(underTest.isAsymmetric()).isTrue();
        assertThat(underTest.signals()).isZero();
        assertThat(gate.statistics().fence())
                .matches("asymmetric fence: tested [0-3] times in 3 runs, bad 0; too busy for 300");
        gate.enter();
        gate.leave();
        GateCheck.verifyEmpty(gate);
    }

    /** C1 orders what C2 does not. */
    @Tag("full")
    @Test
    void run_badRound_keepsTheFullFence() {
        int processors = Runtime.getRuntime().availableProcessors();
        assumeTrue(processors > 1, "one processor is always right");
        FenceSelfTest.run(
                underTest, GateFence.asymmetric(() -> {}), plan(100_000_000, 1, LONG_NANOS));
        assumeTrue(!underTest.reason().contains("busy"), "threads ran at the same time");
        assertThat(underTest.isAsymmetric()).isFalse();
        assertThat(underTest.reason()).startsWith("full fence: tested").endsWith("bad 1");
    }

    @Test
    void run_errorEndsRuns_goesOn() {
        AtomicInteger runs = new AtomicInteger();
        GateFence failing = GateFence.underTest(() -> failUntil(runs, 2)); // its readers fence
        FenceSelfTest.run(underTest, failing, plan(300, 3, SHORT_NANOS));
        assertThat(runs.get()).isGreaterThan(2);
        assertThat(underTest.reason())
                .matches("asymmetric fence: tested [0-9]+ times in 3 runs, bad 0.*");
    }

    @Test
    void run_errorEndsEachRun_keepsTheFullFence() {
        GateFence failing = GateFence.asymmetric(() -> failUntil(new AtomicInteger(), 1));
        SlotGate gate = new SlotGate(underTest);
        FenceSelfTest.run(underTest, failing, plan(300, 3, LONG_NANOS));
        assertThat(underTest.isAsymmetric()).isFalse();
        assertThat(underTest.signals()).isEqualTo(Slots.FENCED);
        assertThat(gate.statistics().fence())
                .isEqualTo("full fence: tested 0 times in 3 runs, bad 0");
        gate.enter();
        gate.leave();
        GateCheck.verifyEmpty(gate);
    }

    /** The heap is full, as it seems; then there is room. */
    private static void failUntil(AtomicInteger runs, int failures) {
        if (runs.getAndIncrement() < failures) {
            throw new OutOfMemoryError("for a test");
        }
        VarHandle.fullFence();
    }

    @Test
    void quietDaemon_dies_nobodyIsTold() throws InterruptedException {
        List<Throwable> told = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> {
                    if (thread.getName().equals("test-quiet")) { // others may die meanwhile
                        told.add(failure);
                    }
                });
        try {
            Thread daemon =
                    QuietDaemon.of(
                            "test-quiet",
                            () -> {
                                throw new OutOfMemoryError("for a test");
                            });
            assertThat(daemon.isDaemon()).isTrue();
            daemon.start();
            daemon.join();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void start_byItself_saysHowFarItIs() throws InterruptedException {
        FenceSelfTest.start(underTest, good);
        while (underTest.reason().endsWith("is under test")) {
            Thread.sleep(1);
        }
        String progress = "full fence: the asymmetric one is under test, good ";
        String end = "asymmetric fence: tested ";
        assertThat(underTest.reason())
                .satisfiesAnyOf(
                        reason -> assertThat(reason).startsWith(progress),
                        reason -> assertThat(reason).startsWith(end));
    }

    @Test
    void pause_doublesUpToTheLongest() {
        FenceSelfTest.Plan plan = FenceSelfTest.PLAN;
        assertThat(plan.pauseMillisAfter(1)).isEqualTo(plan.pauseMillis());
        assertThat(plan.pauseMillisAfter(2)).isEqualTo(2 * plan.pauseMillis());
        for (int runs = 10; runs <= 100; runs++) {
            assertThat(plan.pauseMillisAfter(runs)).isEqualTo(plan.pauseMillisMax());
        }
    }

    @Test
    void plan_oneProcessor_needsFewerRuns() {
        assertThat(FenceSelfTest.plan(1).runsMax()).isLessThan(FenceSelfTest.plan(2).runsMax());
        assertThat(FenceSelfTest.plan(1).rounds()).isEqualTo(FenceSelfTest.plan(2).rounds());
    }

    @Test
    void free_threadInside_staysInside() {
        SlotGate gate = new SlotGate(underTest);
        gate.enter();
        underTest.free("told");
        assertThat(gate.isInside()).isTrue();
        assertThat(gate.statistics().fence()).isEqualTo("asymmetric fence: told");
        gate.leave();
        GateCheck.verifyEmpty(gate);
    }
}
