package io.polder.lab.experiments.evacuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.Findings;

import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

class ShiftPointTest {
    @Test
    void rawData_hasALineForEachPoint() {
        List<String> lines =
                ShiftPoint.rawData(List.of(point(ShiftPhase.C, 7), point(ShiftPhase.C, 8))).lines();

        assertThat(lines).hasSize(3);
        assertThat(lines.getFirst()).startsWith("phase,moment,nanos,living,live_bytes,rss_bytes,");
        assertThat(lines.get(1)).startsWith("c,rested,7,7,");
        assertThat(lines.getLast()).startsWith("c,rested,8,8,");
    }

    @Test
    void points_ofFindings_areThoseTold() {
        Findings findings = new Findings();
        findings.point(point(ShiftPhase.C, 7));
        ShiftFigures figures = new ShiftFigures(findings);

        assertThat(figures.point(ShiftPhase.C, Moment.RESTED)).isEqualTo(point(ShiftPhase.C, 7));
        assertThatThrownBy(() -> figures.point(ShiftPhase.A, Moment.END))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("phase=A");
    }

    @Test
    void values_withOneMissing_areRefused() {
        assertThatThrownBy(() -> new ShiftPoint(ShiftPhase.A, Moment.END, Map.of(Value.NANOS, 1L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a point has all values");
    }

    private static ShiftPoint point(ShiftPhase phase, long number) {
        Map<Value, Long> values = new EnumMap<>(Value.class);
        for (Value value : Value.values()) {
            values.put(value, number);
        }
        return new ShiftPoint(phase, Moment.RESTED, values);
    }
}
