package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class MachineLoadTest {
    /** Stolen time is the last that counts; those of guests are in the first two already. */
    private static final String STAT =
            """
            cpu  100 10 50 1000 40 5 5 30 77 0
            cpu0 50 5 25 500 20 2 3 15 38 0
            """;

    /** A name may have blanks and brackets. */
    private static final String OWN =
            "7 (a) S b)) S 1 7 7 0 -1 4194304 9 8 7 6 20 10 5 3 20 0 1 0 100 1000 10";

    @Test
    void parse_addsUpWhatCounts() {
        assertThat(MachineLoad.parse(STAT, OWN)).isEqualTo(new MachineLoad(1240, 200, 38));
    }

    @Test
    void parse_somethingElse_isRefused() {
        assertThatThrownBy(() -> MachineLoad.parse("cpu 1 2 3", OWN))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MachineLoad.parse("hello", OWN))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MachineLoad.parse(STAT, "7 (x) S 1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void othersSince_isWhatWasUsedAndNotByUs() {
        MachineLoad before = new MachineLoad(1000, 500, 100);

        assertThat(new MachineLoad(2000, 1100, 300).othersSince(before)).isEqualTo(0.4);
        // Ticks are counted one after the other: there may be more of ours than of all.
        assertThat(new MachineLoad(1000, 500, 101).othersSince(before)).isZero();
    }

    @Test
    void warning_beginsWhereOthersDisturb() {
        assertThat(MachineLoad.warning(0.09)).isEmpty();
        assertThat(MachineLoad.warning(0.431))
                .hasValueSatisfying(
                        text -> assertThat(text).startsWith("Busy machine:").contains(" 43 % "));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void now_countsWhatThisProcessUses() {
        MachineLoad before = MachineLoad.now().orElseThrow();
        long sum = 0;
        while (MachineLoad.now().orElseThrow().own() < before.own() + 5) {
            sum += System.nanoTime();
        }

        assertThat(sum).isNotZero();
        assertThat(MachineLoad.now().orElseThrow().busy()).isGreaterThan(before.busy());
    }
}
