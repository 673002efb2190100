package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MovableMemory;

import org.junit.jupiter.api.Test;

/** Random operations against a sorted map of what is taken, with painted payload. */
class RandomPagesTest extends RandomPagesFixture {

    @Test
    void random_matchesTheModel() {
        MovableMemory.assume();
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, false);
        assertThat(outcome.end().assembledOnAllocation()).isPositive();
        assertThat(outcome.end().assembledInBackground()).isPositive();
        assertThat(outcome.end().movedBytes()).isPositive();
        assertThat(outcome.pages().decayedBytes).isPositive();
        assertThat(outcome.pages().refused).isPositive();
        assertThat(outcome.pages().extendedPages).isPositive();
        assertThat(outcome.refusals()).isZero();
    }

    /** Addresses run out before memory does. */
    @Test
    void random_fewAddresses_matchesTheModel() {
        Outcome outcome = run(LIMIT * 3 / 2, false);
        assertThat(outcome.pages().refused).isPositive();
    }

    @Test
    void random_failingCalls_matchesTheModel() {
        MovableMemory.assume();
        Outcome outcome = run(MemoryLimits.ADDRESS_SPACE_BYTES, true);
        assertThat(outcome.refusals()).isPositive();
        assertThat(provider.failures(Call.REMAP)).isPositive();
    }

    @Test
    void random_failingCalls_fewAddresses_matchesTheModel() {
        Outcome outcome = run(LIMIT * 3 / 2, true);
        assertThat(outcome.refusals()).isPositive();
    }
}
