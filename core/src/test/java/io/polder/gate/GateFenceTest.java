package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.Fences;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which fence is chosen, by setting and system. */
class GateFenceTest {
    private final ProcessFence none = Fences.none();
    private final ProcessFence real = ProcessFence.ofThisProcess();

    @ParameterizedTest
    @ValueSource(strings = {"", "auto", "asymmetric", "true", "0"})
    void choose_anythingButFull_isAuto(String value) {
        assertThat(GateFence.choose(value, real).isAsymmetric()).isEqualTo(real.isAvailable());
    }

    @ParameterizedTest
    @ValueSource(strings = {"full", " full", "FULL"})
    void choose_full_isFullWhateverTheSystemHas(String value) {
        assertThat(GateFence.choose(value, real).isAsymmetric()).isFalse();
    }

    @Test
    void choose_withoutAProcessFence_isFull() {
        assertThat(GateFence.choose(null, none).isAsymmetric()).isFalse();
    }

    @Test
    void choose_withAProcessFence_isAsymmetric() {
        assumeTrue(real.isAvailable(), real.reason());
        assertThat(GateFence.choose(null, real).isAsymmetric()).isTrue();
    }

    @Test
    void run_fenceFails_closeThrowsAndCanBeRepeated() {
        boolean[] refuse = {true};
        Gate gate =
                new Gate(
                        GateFence.asymmetric(
                                () -> {
                                    if (refuse[0]) {
                                        throw new IllegalStateException("refused");
                                    }
                                }));
        assertThatIllegalStateException().isThrownBy(gate::close).withMessage("refused");
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.accessor().begin()).isZero();
        GateCheck.verifyClosed(gate);
        refuse[0] = false;
        gate.close();
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }
}
