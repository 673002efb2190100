package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.memory.Fences;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** Which fence is chosen, by setting and system, and what is said about it. */
class GateFenceTest {
    private final List<String> complaints = new ArrayList<>();
    private final ProcessFence none = Fences.none();
    private final ProcessFence real = ProcessFence.ofThisProcess();

    @ParameterizedTest
    @ValueSource(strings = {"full", "auto"})
    void check_known_isNoComplaint(String value) {
        GateFence.check(value, complaints);
        assertThat(complaints).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " full", "FULL", "Auto", "asymmetric", "true", "0"})
    void check_anythingElse_isAutoWithAComplaint(String value) {
        GateFence.check(value, complaints);
        assertThat(complaints)
                .containsExactly(
                        "polder.gate.fence must be one of auto, full: value="
                                + value
                                + "; using auto");
        assertThat(GateFence.choose(value, real).isAsymmetric()).isEqualTo(real.isAvailable());
    }

    @Test
    void choose_full_isFullWhateverTheSystemHas() {
        assertThat(GateFence.choose("full", real).isAsymmetric()).isFalse();
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
    void asymmetric_withoutAProcessFence_throws() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GateFence.asymmetric(none))
                .withMessageContaining("needs a fence of all threads");
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
        GateCheck.verify(gate);
        refuse[0] = false;
        gate.close();
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }
}
