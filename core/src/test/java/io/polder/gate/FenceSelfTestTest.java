package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

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
        FenceSelfTest.run(underTest, good, plan(300, 1, LONG_NANOS));
        assertThat(underTest.isAsymmetric()).isTrue();
        assertThat(underTest.signals()).isZero();
        assertThat(before.statistics().fence())
                .isEqualTo("asymmetric fence: tested 300 times in 1 runs, bad 0");
        before.leave();
        before.synchronize();
        SlotGate after = new SlotGate(underTest);
        after.enter();
        after.leave();
        before.verifyEmpty();
        after.verifyEmpty();
        assertThat(fences.get()).as("fences of the waiter").isEqualTo(1);
    }

    @Test
    void run_fewRoundsARun_addsThemUp() {
        FenceSelfTest.run(underTest, good, plan(3, 3, 0));
        assertThat(underTest.isAsymmetric()).isTrue();
        assertThat(underTest.reason())
                .isEqualTo("asymmetric fence: tested 3 times in 3 runs, bad 0");
    }

    @Test
    void run_tooFewRounds_keepsTheFullFenceAndSaysSo() {
        SlotGate gate = new SlotGate(underTest);
        FenceSelfTest.run(underTest, good, plan(300, 3, 0));
        assertThat(underTest.isAsymmetric()).isFalse();
        assertThat(underTest.signals()).isEqualTo(Slots.FENCED);
        assertThat(gate.statistics().fence())
                .isEqualTo("full fence: tested 3 times in 3 runs, bad 0; needed 300");
        gate.enter();
        gate.leave();
        gate.verifyEmpty();
    }

    @Test
    void run_badRound_keepsTheFullFence() {
        int processors = Runtime.getRuntime().availableProcessors();
        assumeThat(processors).as("one processor is always right").isGreaterThan(1);
        FenceSelfTest.run(
                underTest, GateFence.asymmetric(() -> {}), plan(100_000_000, 1, LONG_NANOS));
        assertThat(underTest.isAsymmetric()).isFalse();
        assumeThat(underTest.reason()).as("threads ran at the same time").doesNotContain("needed");
        assertThat(underTest.reason()).startsWith("full fence: tested").endsWith("bad 1");
    }

    @Test
    void run_errorEndsRuns_goesOn() {
        AtomicInteger runs = new AtomicInteger();
        GateFence failing = GateFence.asymmetric(() -> failUntil(runs, 2));
        FenceSelfTest.run(underTest, failing, plan(300, 3, LONG_NANOS));
        assertThat(underTest.reason())
                .isEqualTo("asymmetric fence: tested 300 times in 3 runs, bad 0");
    }

    @Test
    void run_errorEndsEachRun_keepsTheFullFence() {
        GateFence failing = GateFence.asymmetric(() -> failUntil(new AtomicInteger(), 1));
        FenceSelfTest.run(underTest, failing, plan(300, 3, LONG_NANOS));
        assertThat(underTest.isAsymmetric()).isFalse();
        assertThat(underTest.reason())
                .isEqualTo("full fence: tested 0 times in 3 runs, bad 0; needed 300");
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
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> told.add(failure));
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
        String end = "asymmetric fence: tested " + FenceSelfTest.PLAN.rounds() + " times";
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
        for (int runs = 10; runs <= plan.runsMax(); runs++) {
            assertThat(plan.pauseMillisAfter(runs)).isEqualTo(plan.pauseMillisMax());
        }
    }

    @Test
    void free_threadInside_staysInside() {
        SlotGate gate = new SlotGate(underTest);
        gate.enter();
        underTest.free("told");
        assertThat(gate.isInside()).isTrue();
        assertThat(gate.statistics().fence()).isEqualTo("asymmetric fence: told");
        gate.leave();
        gate.verifyEmpty();
    }
}
