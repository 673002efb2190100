package io.polder.stress.everywhere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
    @Test
    void parse_nothing_isAll() {
        assertThat(Plan.parse()).isEqualTo(Plan.ALL);
    }

    @Test
    void parse_whatAFailureSays_isThatPoint() {
        Plan plan =
                Plan.parse(
                        "--only", "a.b", "--kind", "heap", "--repeat", "TWICE", "--point", "7");
        assertThat(plan.only()).isEqualTo("a.b");
        assertThat(plan.kinds()).containsExactly(Kind.HEAP);
        assertThat(plan.repeats()).containsExactly(Repeat.TWICE);
        assertThat(plan.point()).isEqualTo(7);
    }

    @Test
    void step_spreadsPoints() {
        Plan plan = Plan.parse("--most", "10");
        assertThat(plan.step(9)).isEqualTo(1);
        assertThat(plan.step(100)).isEqualTo(10);
        assertThat(plan.step(101)).isEqualTo(11);
    }

    @Test
    void parse_quick_triesFewer() {
        assertThat(Plan.parse("--quick").most()).isLessThan(Plan.ALL.most());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--fast", "--kind", "--point"})
    void parse_unknownOrIncomplete_saysWhatThereIs(String argument) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Plan.parse(argument))
                .withMessageContaining("--quick");
    }
}
