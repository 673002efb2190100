package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

/** The litmus test passes fences that work and catches one that does not. */
@Timeout(300)
class FenceLitmusTestTest {
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    /** Enough to catch a bad fence many times over where two threads run at the same time. */
    private static final FenceLitmusTest.Limits LONG =
            new FenceLitmusTest.Limits(100_000_000, NANOS_MAX);

    /** Where two threads do run at the same time, a hundredth of it is enough. */
    private static final long ROUNDS_THAT_SAY_SOMETHING = 1_000_000;

    /** A good fence shows nothing, however long it is tried. */
    private static final FenceLitmusTest.Limits SHORT =
            new FenceLitmusTest.Limits(20_000, TimeUnit.SECONDS.toNanos(1));

    /** C1 orders what C2 does not. */
    @Tag("full")
    @Test
    void run_noFenceForThoseWhoPass_isCaught() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor is always right");
        GateFence broken = GateFence.asymmetric(() -> {});
        FenceLitmusTest result = run(broken, LONG);
        boolean parallel = result.bad() > 0 || result.met() >= ROUNDS_THAT_SAY_SOMETHING;
        assumeTrue(parallel, "the threads hardly ran at the same time: " + result.describe());
        assertThat(result.bad()).as(result.describe()).isEqualTo(1);
    }

    @Test
    void run_fullFence_isGood() {
        FenceLitmusTest result = run(GateFence.full(), SHORT);
        assertThat(result.bad()).as(result.describe()).isZero();
        assertThat(result.rounds()).isPositive().isGreaterThanOrEqualTo(result.met());
    }

    @Test
    void run_processFence_isGood() {
        ProcessFence process = ProcessFence.ofThisProcess();
        assumeTrue(process.isAvailable(), process.reason());
        FenceLitmusTest result = run(GateFence.asymmetric(process), SHORT);
        assertThat(result.bad()).as(result.describe()).isZero();
    }

    @Test
    void run_noTime_endsAfterARound() {
        FenceLitmusTest result = run(GateFence.full(), new FenceLitmusTest.Limits(1_000_000, 0));
        assertThat(result.rounds()).isEqualTo(1);
        assertThat(result.describe())
                .isEqualTo("tested " + result.met() + " times, bad 0")
                .matches("tested [01] times, bad 0");
    }

    /** As where the Java heap is full when it begins. */
    @Test
    void run_readerDies_ends() {
        FenceLitmusTest litmus = new FenceLitmusTest(GateFence.full(), _ -> new Thread(() -> {}));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> litmus.run(SHORT))
                .withMessageContaining("has died");
        assertThat(litmus.bad()).isZero();
    }

    private static FenceLitmusTest run(GateFence fence, FenceLitmusTest.Limits limits) {
        FenceLitmusTest litmus = new FenceLitmusTest(fence);
        litmus.run(limits);
        return litmus;
    }
}
