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

/** What visitors do while a fence is tried out, and once that is over. */
@Timeout(120)
class FenceProofTest {
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final AtomicInteger fences = new AtomicInteger();
    private final GateFence onTrial = GateFence.onTrial(fences::incrementAndGet);
    private final GateFence good = GateFence.full();

    private static FenceProof.Plan plan(int rounds, int trialsMax, long trialNanos) {
        return new FenceProof.Plan(rounds, trialsMax, trialNanos, 1, 1);
    }

    @Test
    void prove_enoughGoodRounds_freesGatesOfBeforeAndAfter() {
        SlotGate before = new SlotGate(onTrial);
        before.enter();
        assertThat(before.statistics().fence())
                .isEqualTo("full fence: the asymmetric one is on trial");
        FenceProof.prove(onTrial, good, plan(300, 1, LONG_NANOS));
        assertThat(onTrial.isAsymmetric()).isTrue();
        assertThat(onTrial.signals()).isZero();
        assertThat(before.statistics().fence())
                .isEqualTo("asymmetric fence: tried 300 times in 1 trials, bad 0");
        before.leave();
        before.awaitEarlier();
        SlotGate after = new SlotGate(onTrial);
        after.enter();
        after.leave();
        before.verifyEmpty();
        after.verifyEmpty();
        assertThat(fences.get()).as("fences of who waits").isEqualTo(1);
    }

    @Test
    void prove_fewRoundsATrial_addsThemUp() {
        FenceProof.prove(onTrial, good, plan(3, 3, 0));
        assertThat(onTrial.isAsymmetric()).isTrue();
        assertThat(onTrial.reason())
                .isEqualTo("asymmetric fence: tried 3 times in 3 trials, bad 0");
    }

    @Test
    void prove_tooFewRounds_keepsTheFullFenceAndSaysSo() {
        SlotGate gate = new SlotGate(onTrial);
        FenceProof.prove(onTrial, good, plan(300, 3, 0));
        assertThat(onTrial.isAsymmetric()).isFalse();
        assertThat(onTrial.signals()).isEqualTo(Slots.FENCED);
        assertThat(gate.statistics().fence())
                .isEqualTo("full fence: tried 3 times in 3 trials, bad 0; needed 300");
        gate.enter();
        gate.leave();
        gate.verifyEmpty();
    }

    @Test
    void prove_badRound_keepsTheFullFence() {
        int processors = Runtime.getRuntime().availableProcessors();
        assumeThat(processors).as("one processor is always right").isGreaterThan(1);
        FenceProof.prove(onTrial, GateFence.asymmetric(() -> {}), plan(100_000_000, 1, LONG_NANOS));
        assertThat(onTrial.isAsymmetric()).isFalse();
        assumeThat(onTrial.reason()).as("threads ran at the same time").doesNotContain("needed");
        assertThat(onTrial.reason()).startsWith("full fence: tried").endsWith("bad 1");
    }

    @Test
    void prove_errorEndsTrials_triesAgain() {
        AtomicInteger runs = new AtomicInteger();
        GateFence failing = GateFence.asymmetric(() -> failUntil(runs, 2));
        FenceProof.prove(onTrial, failing, plan(300, 3, LONG_NANOS));
        assertThat(onTrial.reason())
                .isEqualTo("asymmetric fence: tried 300 times in 3 trials, bad 0");
    }

    @Test
    void prove_errorEndsEachTrial_keepsTheFullFence() {
        GateFence failing = GateFence.asymmetric(() -> failUntil(new AtomicInteger(), 1));
        FenceProof.prove(onTrial, failing, plan(300, 3, LONG_NANOS));
        assertThat(onTrial.isAsymmetric()).isFalse();
        assertThat(onTrial.reason())
                .isEqualTo("full fence: tried 0 times in 3 trials, bad 0; needed 300");
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
        FenceProof.start(onTrial, good);
        while (onTrial.reason().endsWith("is on trial")) {
            Thread.sleep(1);
        }
        String progress = "full fence: the asymmetric one is on trial, good ";
        String end = "asymmetric fence: tried " + FenceProof.PLAN.rounds() + " times";
        assertThat(onTrial.reason())
                .satisfiesAnyOf(
                        reason -> assertThat(reason).startsWith(progress),
                        reason -> assertThat(reason).startsWith(end));
    }

    @Test
    void pause_doublesUpToTheLongest() {
        FenceProof.Plan plan = FenceProof.PLAN;
        assertThat(plan.pauseMillisAfter(1)).isEqualTo(plan.pauseMillis());
        assertThat(plan.pauseMillisAfter(2)).isEqualTo(2 * plan.pauseMillis());
        for (int trials = 10; trials <= plan.trialsMax(); trials++) {
            assertThat(plan.pauseMillisAfter(trials)).isEqualTo(plan.pauseMillisMax());
        }
    }

    @Test
    void free_threadInside_staysInside() {
        SlotGate gate = new SlotGate(onTrial);
        gate.enter();
        onTrial.free("told");
        assertThat(gate.isInside()).isTrue();
        assertThat(gate.statistics().fence()).isEqualTo("asymmetric fence: told");
        gate.leave();
        gate.verifyEmpty();
    }
}
