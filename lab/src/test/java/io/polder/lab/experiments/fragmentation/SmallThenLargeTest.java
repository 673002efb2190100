package io.polder.lab.experiments.fragmentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.fragmentation.SmallThenLarge.Outcome;
import io.polder.lab.harness.ExperimentException;

import org.junit.jupiter.api.Test;

/** The workload on the models, against what can be worked out by hand. */
class SmallThenLargeTest {
    private static final long SMALL_CHUNK = 2 << 10;
    private static final long MEDIUM_CHUNK = 32 << 10;

    @Test
    void run_sizeLocked_hasOnlyWhatWasNeverUsed() throws ExperimentException {
        long neverUsed = SmallThenLarge.BUDGET_BYTES - SmallThenLarge.SMALL_OWNERS * SMALL_CHUNK;

        Outcome outcome = run(new SizeLockedSpace(SmallThenLarge.BUDGET_BYTES));

        assertThat(outcome.largeBlocks())
                .isEqualTo(neverUsed / MEDIUM_CHUNK * (MEDIUM_CHUNK / SmallThenLarge.LARGE_BYTES));
        assertThat(outcome.utilisation()).isBetween(0.3, 0.4);
        assertThat(Maps.letters(outcome.map().substring(outcome.map().indexOf('\n') + 1)))
                .startsWith("s".repeat(SmallThenLarge.SMALL_OWNERS) + "M")
                .endsWith("M");
    }

    @Test
    void run_splitMerge_hasAllInMediumChunks() throws ExperimentException {
        Outcome outcome = run(new SplitMergeSpace(SmallThenLarge.BUDGET_BYTES));

        assertThat(outcome.largeBlocks())
                .isEqualTo(
                        SmallThenLarge.BUDGET_BYTES
                                / MEDIUM_CHUNK
                                * (MEDIUM_CHUNK / SmallThenLarge.LARGE_BYTES));
        assertThat(outcome.utilisation()).isBetween(0.85, 0.95);
        assertThat(Maps.letters(outcome.map().substring(outcome.map().indexOf('\n') + 1)))
                .isEqualTo("M".repeat((int) (SmallThenLarge.BUDGET_BYTES / MEDIUM_CHUNK)));
    }

    @Test
    void run_withoutRoomForTheSmallOwners_saysSo() {
        assertThatThrownBy(() -> run(new SizeLockedSpace(1 << 20)))
                .isInstanceOf(ExperimentException.class)
                .hasMessage("model has no room for small owner 513");
    }

    @Test
    void run_contenderThatRefusesNothing_isCaught() {
        Contender endless = new ModelContender("endless", "endless", new SizeLockedSpace(1L << 40));

        assertThatThrownBy(() -> new SmallThenLarge(1).run(endless))
                .isInstanceOf(AssertionError.class)
                .hasMessage("a contender keeps to its budget: contender=endless, largeBlocks=3514");
    }

    private static Outcome run(ChunkSpace space) throws ExperimentException {
        try (ModelContender contender = new ModelContender("model", "model", space)) {
            return new SmallThenLarge(1).run(contender);
        }
    }
}
