package io.polder.lab.experiments.evacuation;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Latency;
import io.polder.tools.html.TimeLine;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Names, values and layout, from results that were made up. */
class EvacuationReportTest {
    @Test
    void names_areThoseAgreed() {
        List<String> names = new ArrayList<>();
        for (String contender : List.of("single", "striped", "slot", "accessor")) {
            for (int threads : List.of(1, 2, 4, 16, 64)) {
                names.add("gate." + contender + ".t" + threads + "_ns");
            }
        }
        for (String ratio :
                List.of("striped_over_slot", "single_over_slot", "striped_over_accessor")) {
            for (int threads : List.of(1, 2, 4, 16, 64)) {
                names.add("gate." + ratio + ".t" + threads);
            }
        }
        names.addAll(
                List.of(
                        "heap.read_over_copy_ns",
                        "heap.read_over_copy_cold_ns",
                        "heap.get_long_ns",
                        "heap.get_over_copy_ns",
                        "heap.read_many_readers_ns",
                        "heap.read_many_readers_bytes",
                        "heap.get_random50m_over_copy"));
        for (String gate : List.of("single", "striped", "slot")) {
            for (String name :
                    List.of(
                            "ops_per_second",
                            "critical_ops_per_second",
                            "p50_us",
                            "p99_us",
                            "p999_us")) {
                names.add("evacuation." + gate + "." + name);
            }
        }
        names.addAll(
                List.of(
                        "heap.compacting_over_idle",
                        "evacuation.oom_cycles",
                        "evacuation.lost_objects",
                        "evacuation.oom.pin.cycle_us",
                        "evacuation.oom.pin.wait_max_us",
                        "evacuation.oom.close.cycle_us",
                        "evacuation.oom.close.wait_max_us"));
        for (String prefix : List.of("heap.", "heap.malloc.")) {
            for (String name :
                    List.of(
                            "live_over_rss",
                            "live_over_rss.a",
                            "live_over_rss.b",
                            "live_over_rss.c",
                            "live_over_rss.d",
                            "rss_over_live.deleted95",
                            "rss.deleted_all_bytes")) {
                names.add(prefix + name);
            }
        }
        names.addAll(
                List.of(
                        "heap.wait_max_us",
                        "heap.waits_for_another_copy",
                        "heap.stalled.wait_max_us",
                        "heap.allocate_worst_ms"));

        assertThat(EvacuationMetrics.names()).isEqualTo(names);
    }

    @Test
    void section_hasMemoryLatenciesAndGates() {
        Results results = MadeUpResults.of(2);
        List<Goal> goals = EvacuationGoals.list(EvacuationMetrics.of(results), false);

        ReportSection section = EvacuationSection.of(results, goals);
        Explained.check(section);

        assertThat(section.goals()).isEqualTo(goals).hasSize(18);
        assertThat(section.headline()).startsWith("When sizes of values shift, at least ");
        assertThat(section.charts())
                .satisfiesExactly(
                        shift ->
                                assertThat(((TimeLine) shift).marks())
                                        .extracting(TimeLine.Mark::label)
                                        .containsExactly("A", "B", "C", "D", "5 %", "none"),
                        operations ->
                                assertThat(((Latency) operations).curves())
                                        .extracting(Latency.Curve::name)
                                        .containsExactly("slot", "striped", "single", "control"),
                        writes -> assertThat(((Latency) writes).curves()).hasSize(2),
                        gates ->
                                assertThat(((Bars) gates).bars())
                                        .hasSize(
                                                Scale.GatePlan.THREADS.size()
                                                        * GateContender.values().length));
    }

    @Test
    void metrics_comeFromTheirFindings() {
        List<Metric> metrics = EvacuationMetrics.of(MadeUpResults.of(2));

        assertThat(metrics).extracting(Metric::name).isEqualTo(EvacuationMetrics.names());
        assertThat(value(metrics, "gate.single.t4_ns")).isEqualTo(100);
        assertThat(value(metrics, "gate.striped_over_slot.t64")).isEqualTo(10);
        assertThat(value(metrics, "gate.single_over_slot.t1")).isEqualTo(35);
        assertThat(value(metrics, "gate.striped_over_accessor.t1")).isEqualTo(15);
        // 38 and 52 less 30 and 40, round by round.
        assertThat(value(metrics, "heap.read_over_copy_ns")).isEqualTo(10);
        assertThat(value(metrics, "heap.get_long_ns")).isEqualTo(14.5);
        assertThat(value(metrics, "heap.get_over_copy_ns")).isEqualTo(10);
        assertThat(value(metrics, "heap.read_many_readers_ns")).isEqualTo(14.5);
        assertThat(value(metrics, "heap.read_many_readers_bytes")).isEqualTo(16);
        assertThat(value(metrics, "heap.get_random50m_over_copy"))
                .isCloseTo(3.2, Offset.offset(0.001));
        assertThat(value(metrics, "evacuation.slot.ops_per_second")).isEqualTo(4e6);
        assertThat(value(metrics, "evacuation.single.critical_ops_per_second")).isEqualTo(8e5);
        assertThat(value(metrics, "evacuation.striped.p999_us")).isCloseTo(6, Offset.offset(0.01));
        assertThat(value(metrics, "heap.compacting_over_idle")).isEqualTo(0.75);
        assertThat(value(metrics, "evacuation.oom_cycles")).isEqualTo(20_000);
        // One of each policy and way, and one of each contender.
        assertThat(value(metrics, "evacuation.lost_objects")).isEqualTo(6);
        assertThat(value(metrics, "evacuation.oom.pin.cycle_us"))
                .isCloseTo(20, Offset.offset(0.02));
        assertThat(value(metrics, "evacuation.oom.close.wait_max_us")).isEqualTo(5);
        assertThat(value(metrics, "heap.live_over_rss.b"))
                .isCloseTo(100.0 / 210, Offset.offset(0.001));
        assertThat(value(metrics, "heap.rss_over_live.deleted95"))
                .isCloseTo(2.1, Offset.offset(0.001));
        assertThat(value(metrics, "heap.malloc.rss.deleted_all_bytes")).isEqualTo(10 << 20);
        assertThat(value(metrics, "heap.wait_max_us")).isEqualTo(200);
        assertThat(value(metrics, "heap.waits_for_another_copy")).isEqualTo(20 + 8 + 8);
        assertThat(value(metrics, "heap.stalled.wait_max_us")).isEqualTo(10);
        assertThat(value(metrics, "heap.allocate_worst_ms")).isCloseTo(8, Offset.offset(0.01));
    }

    @Test
    void text_fitsATerminal() {
        for (long factor : new long[] {1, 50}) {
            String text = text(factor);

            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH));
            assertThat(text).contains("striped / slot", "C: 20 - 60 KiB", "Busy machine");
            Explained.checkText(
                    EvacuationSection.of(MadeUpResults.of(factor), List.of()),
                    text,
                    "slot      A gate with a slot for each thread",
                    "accessor  The same gate",
                    "malloc    The C library");
        }
    }

    @Test
    void goals_sayWhetherTheyWereReached() {
        assertThat(goals(1)).anyMatch(goal -> isOf(goal, "objects lost") && goal.reached());
        assertThat(goals(50))
                .anyMatch(goal -> isOf(goal, "objects lost") && !goal.reached())
                .anyMatch(goal -> isOf(goal, "live / RSS after D") && !goal.reached())
                .anyMatch(goal -> isOf(goal, "longest wait for") && !goal.reached());
    }

    @Test
    void text_doesNotJudge() {
        assertThat(text(50)).doesNotContain("goal", "missed", "reached");
    }

    private static boolean isOf(Goal goal, String beginning) {
        return goal.what().startsWith(beginning);
    }

    private static List<Goal> goals(long factor) {
        return EvacuationGoals.list(EvacuationMetrics.of(MadeUpResults.of(factor)), false);
    }

    private static String text(long factor) {
        return EvacuationExperiment.text(MadeUpResults.of(factor), Scale.FULL);
    }
}
