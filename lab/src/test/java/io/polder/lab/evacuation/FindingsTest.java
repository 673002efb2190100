package io.polder.lab.evacuation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.evacuation.ShiftPoint.Moment;
import io.polder.lab.evacuation.ShiftPoint.Value;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

class FindingsTest {
    @Test
    void accept_linesOfTwoJvms_isWhatTheyWrote() {
        List<Double> progress = new ArrayList<>();
        Findings findings = new Findings(progress::add);
        Histogram nanos = Nanos.histogram();
        Nanos.record(nanos, 1000);

        for (double value : new double[] {1, 5, 3}) {
            findings.accept(Findings.sampleLine("x", value));
            findings.accept(Findings.sampleLine("y", 2 * value + 1));
            findings.accept(Findings.latenciesLine("z", nanos));
            findings.accept(Findings.progressLine(0.5));
        }
        assertThat(findings.complete()).isZero();
        findings.accept(Findings.DONE);

        assertThat(findings.complete()).isEqualTo(1);
        assertThat(findings.samples("x")).containsExactly(1, 5, 3);
        assertThat(findings.median("x")).isEqualTo(3);
        assertThat(findings.max("x")).isEqualTo(5);
        assertThat(findings.sum("x")).isEqualTo(9);
        assertThat(findings.ratio("y", "x").lower()).isLessThan(3);
        assertThat(findings.difference("y", "x").median()).isEqualTo(4);
        assertThat(findings.latencies("z").getTotalCount()).isEqualTo(3);
        assertThat(progress).hasSize(3).containsOnly(0.5);
    }

    @Test
    void point_asALine_isTheSame() {
        ShiftPoint point = point(ShiftPhase.C, 7);

        assertThat(ShiftPoint.parse(point.line())).isEqualTo(point);
        assertThat(ShiftTimeline.lines(List.of(point, point)))
                .hasSize(3)
                .first()
                .asString()
                .startsWith("phase,moment,nanos,living,live_bytes,rss_bytes,");
        assertThat(ShiftTimeline.lines(List.of(point)).getLast()).startsWith("c,rested,7,7,");
    }

    @Test
    void figures_nobodyMeasured_areRefused() {
        Findings findings = new Findings(_ -> {});
        findings.accept(Findings.sampleLine("two", 1));
        findings.accept(Findings.sampleLine("two", 1));
        findings.accept(Findings.sampleLine("one", 1));

        assertThatThrownBy(() -> findings.samples("none"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name=none");
        assertThatThrownBy(() -> findings.latencies("none"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> findings.difference("two", "one"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ShiftFigures(findings).point(ShiftPhase.A, Moment.END))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello",
                "sample x",
                "sample x many",
                "sample x NaN",
                "latencies z HISTF",
                "latencies z !",
                "progress",
                "point A END 1 2",
                "point A NEVER 1 2 3 4 5 6 7 8 9 10",
                "point A END 1 2 3 4 5 6 7 8 9 x",
                "done 1"
            })
    void accept_somethingElse_isRefused(String line) {
        assertThatThrownBy(() -> new Findings(_ -> {}).accept(line))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void plans_asArguments_areTheSame() {
        for (Effort effort : List.of(Effort.QUICK, Effort.FULL, Effort.SMOKE)) {
            assertThat(GatePlan.parse(effort.gates().toArgs())).isEqualTo(effort.gates());
            assertThat(ReadPlan.parse(effort.reads().toArgs())).isEqualTo(effort.reads());
            assertThat(TrafficPlan.parse(effort.traffic().toArgs())).isEqualTo(effort.traffic());
            assertThat(ExhaustionPlan.parse(effort.exhaustion().toArgs()))
                    .isEqualTo(effort.exhaustion());
            assertThat(ShiftPlan.parse(effort.shift().toArgs())).isEqualTo(effort.shift());
            assertThat(StallPlan.parse(effort.stall().toArgs())).isEqualTo(effort.stall());
        }
    }

    private static ShiftPoint point(ShiftPhase phase, long number) {
        Map<Value, Long> values = new EnumMap<>(Value.class);
        for (Value value : Value.values()) {
            values.put(value, number);
        }
        return new ShiftPoint(phase, Moment.RESTED, values);
    }
}
