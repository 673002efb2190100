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
                Plan.parse("--only", "a.b", "--kind", "heap", "--repeat", "TWICE", "--point", "7");
        assertThat(plan.only()).isEqualTo("a.b");
        assertThat(plan.kinds()).containsExactly(Kind.HEAP);
        assertThat(plan.repeats()).containsExactly(Repeat.TWICE);
        assertThat(plan.point()).isEqualTo(7);
    }

    @Test
    void points_most_spreadsThem() {
        Plan plan = Plan.parse("--most", "10");
        assertThat(plan.points(10, 3)).isEqualTo(Points.ALL);
        assertThat(plan.points(100, 3)).isEqualTo(Points.some(100, 10, 3));
        assertThat(Points.some(100, 10, 13)).returns(10L, Points::step).returns(4L, Points::first);
        assertThat(Points.some(101, 10, 0)).returns(11L, Points::step);
    }

    @Test
    void points_point_isThatAlone() {
        assertThat(Plan.parse("--point", "9", "--most", "2").points(100, 0))
                .isEqualTo(Points.only(9));
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
