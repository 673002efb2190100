package io.polder.lab.experiments.confined;

import static io.polder.lab.report.Metric.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Findings;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Names, values and layout, from samples that were made up. */
class ConfinedReportTest {
    /** The names that other programs rely on. */
    private static final List<String> NAMES =
            List.of(
                    "confined.s5.speedup",
                    "confined.s5.lwjgl_ratio",
                    "confined.s20.speedup",
                    "confined.s20.lwjgl_ratio",
                    "confined.s100.speedup",
                    "confined.s100.lwjgl_ratio",
                    "confined.s500.speedup",
                    "confined.s500.lwjgl_ratio",
                    "confined.s1000.speedup",
                    "confined.s1000.lwjgl_ratio",
                    "confined.s2000.speedup",
                    "confined.s2000.lwjgl_ratio",
                    "confined.s8000.speedup",
                    "confined.s8000.lwjgl_ratio",
                    "confined.s17000.speedup",
                    "confined.s64000.speedup",
                    "confined.s256000.speedup",
                    "confined.s1000000.speedup",
                    "confined.s8000000.speedup",
                    "confined.grow100k.speedup",
                    "confined.3x5.speedup",
                    "confined.3x5.lwjgl_ratio",
                    "confined.3x20.speedup",
                    "confined.3x20.lwjgl_ratio",
                    "confined.nested5.speedup",
                    "confined.virtual.s5.speedup",
                    "confined.empty.ns",
                    "confined.calls.speedup",
                    "confined.calls.no_arena_ratio",
                    "shared.s100.speedup",
                    "shared.s20000.speedup",
                    "shared.s1000000.speedup",
                    "confined.mixed.s5.speedup",
                    "confined.mixed.s5.lwjgl_ratio",
                    "confined.mixed.s20.speedup",
                    "confined.mixed.s20.lwjgl_ratio",
                    "confined.mixed.s100.speedup",
                    "confined.mixed.s100.lwjgl_ratio",
                    "confined.mixed.s500.speedup",
                    "confined.mixed.s500.lwjgl_ratio",
                    "confined.mixed.s2000.speedup",
                    "confined.mixed.s2000.lwjgl_ratio",
                    "confined.mixed.3x5.speedup",
                    "confined.mixed.3x5.lwjgl_ratio",
                    "confined.mixed.nested5.speedup",
                    "confined.heap_bytes_per_op",
                    "confined.mixed.heap_bytes_per_op");

    @Test
    void metricNames_areTheAgreedOnes() {
        assertThat(new ConfinedExperiment().metricNames()).isEqualTo(NAMES);
    }

    @Test
    void metrics_areMediansOfPairedRatios() {
        List<Metric> metrics = ConfinedMetrics.of(measurements(1, 0.25));

        assertThat(metrics).extracting(Metric::name).isEqualTo(NAMES);
        // Rounds of Polder 4, 8, 4; JDK 40, 40, 80; LWJGL 6, 6, 6.
        assertThat(value(metrics, "confined.s5.speedup")).isEqualTo(10);
        assertThat(value(metrics, "confined.s5.lwjgl_ratio")).isEqualTo(1.5);
        assertThat(value(metrics, "confined.empty.ns")).isEqualTo(4);
        assertThat(value(metrics, "confined.heap_bytes_per_op")).isEqualTo(0.25);
        assertThat(value(metrics, "confined.mixed.3x5.speedup")).isEqualTo(10);
        assertThat(value(metrics, "shared.s20000.speedup")).isEqualTo(10);
        assertThat(metrics)
                .filteredOn(metric -> metric.better() == Better.LOWER)
                .extracting(Metric::name)
                .containsExactly(
                        "confined.empty.ns",
                        "confined.heap_bytes_per_op",
                        "confined.mixed.heap_bytes_per_op");
    }

    @Test
    void section_hasARatioForEachWorkloadAndContender() {
        ReportSection section = ConfinedSection.of(measurements(1, 0));
        Explained.check(section);

        assertThat(section.headline())
                .isEqualTo(
                        "A confined arena with an allocation of 5 B takes 4 ns, 10.0 times as"
                                + " fast as the JDK’s, in a JVM that has used everything.");
        assertThat(section.charts())
                .map(Bars.class::cast)
                .extracting(bars -> bars.bars().size())
                .containsExactly(7, 6, 21, 9);
        Bars bars = (Bars) section.charts().getFirst();
        assertThat(bars.bars().getFirst().spread()).isEqualTo(new Bars.Spread(7.5, 10, 15));
        assertThat(section.goals())
                .contains(
                        new Goal("5 B, JDK / Polder", ">= 7.00×", "10.0×", true),
                        new Goal("5 B, mixed JVM, JDK / Polder", ">= 7.00×", "10.0×", true),
                        new Goal("3 x 5 B, mixed JVM, JDK / Polder", ">= 14.0×", "10.0×", false),
                        new Goal("8000000 B, JDK / Polder", ">= 1.20×", "10.0×", true),
                        new Goal("100 B, shared, JDK / Polder", ">= 1.00×", "10.0×", true),
                        new Goal("empty arena", "<= 5 ns", "4 ns", true),
                        new Goal("the worst row, JDK / Polder", ">= 1.00×", "10.0×", true),
                        new Goal("5 B, LWJGL / Polder", ">= 1.00×", "1.50×", true),
                        new Goal("4 foreign calls, no arena / Polder", ">= 0.95×", "0.75×", false),
                        new Goal("Java heap per operation", "0 B", "0.000 B", true),
                        new Goal("Java heap per operation, mixed JVM", "0 B", "0.000 B", true));
        assertThat(section.goals())
                .filteredOn(goal -> goal.what().contains("LWJGL"))
                .extracting(Goal::what)
                .containsExactly(
                        "5 B, LWJGL / Polder",
                        "20 B, LWJGL / Polder",
                        "100 B, LWJGL / Polder",
                        "1000 B, LWJGL / Polder",
                        "5 B, mixed JVM, LWJGL / Polder",
                        "20 B, mixed JVM, LWJGL / Polder",
                        "100 B, mixed JVM, LWJGL / Polder");
    }

    @Test
    void text_fitsATerminal() {
        String text = ConfinedText.of(measurements(1, 0), Scale.FULL);
        String slow = ConfinedText.of(measurements(123_456, 1e6), Scale.QUICK);

        assertThat(text.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(slow.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
    }

    @Test
    void text_showsTimesAndRatiosAndDoesNotJudge() {
        String text = ConfinedText.of(measurements(1, 0), Scale.QUICK);

        assertThat(rows(text, "5 B"))
                .containsExactly(
                        "5 B 40.00 6.00 60.00 4.00 10.00x 7.50x - 15.00x",
                        "5 B 40.00 6.00 60.00 4.00 10.00x 7.50x - 15.00x");
        assertThat(rows(text, "17000 B"))
                .containsExactly("17000 B 40.00 60.00 4.00 10.00x 7.50x - 15.00x");
        assertThat(rows(text, "empty arena"))
                .containsExactly("empty arena 40.00 4.00 10.00x 7.50x - 15.00x");
        assertThat(text.indexOf("in a mixed JVM, ns")).isLessThan(text.indexOf("in a fresh JVM"));
        assertThat(text)
                .contains("the worst row: in a mixed JVM 0.0 B (5 B),", "50,000 times each");
        assertThat(text).contains("4 foreign calls without any arena: 3.00 ns, 0.75x of Polder's");
        assertThat(text).doesNotContain("goal", "missed", "reached");
        assertThat(text).contains("at least 0.4 s", "at least 3 in all", "batch of 15 ms");
        assertThat(text).contains("Quick figures are rough").doesNotContain("busy");
        assertThat(ConfinedText.of(measurements(1, 0), Scale.FULL)).doesNotContain("Quick figures");
    }

    @Test
    void measurement_poolsTheRoundsOfAllItsJvms() {
        Findings findings = new Findings();
        Workload workload = Workload.withId("s5");
        samples(findings, workload, 1, 0);
        samples(findings, workload, 2, 8);
        samples(findings, workload, 1, 0);
        Measurement measurement = new Measurement(workload, findings);

        assertThat(measurement.rounds()).isEqualTo(9);
        assertThat(measurement.nanos(Contender.LWJGL).median()).isEqualTo(6);
        assertThat(measurement.heapBytesPerOp()).isEqualTo(8);
        assertThat(measurement.isCompiled()).isTrue();
        findings.count(ConfinedJvm.sampleName(workload, ConfinedJvm.UNCOMPILED), 2);
        assertThat(measurement.isCompiled()).isFalse();
    }

    @Test
    void heap_leavesOutForeignCallsAndSharedArenas() {
        List<Measurement> measurements = new ArrayList<>(measurements(1, 0.5));
        for (String id : List.of("calls", "shared.s100")) {
            measurements.removeIf(measurement -> measurement.workload().id().equals(id));
            measurements.add(measurement(Workload.withId(id), 1, 500));
        }

        assertThat(ConfinedMetrics.worstHeap(measurements, false).orElseThrow().heapBytesPerOp())
                .isEqualTo(0.5);
    }

    private static List<String> rows(String text, String label) {
        return text.lines()
                .filter(line -> line.startsWith(label + "  "))
                .map(line -> line.replaceAll(" +", " "))
                .toList();
    }

    private static List<Measurement> measurements(double scale, double heap) {
        return Workload.ALL.stream().map(workload -> measurement(workload, scale, heap)).toList();
    }

    private static Measurement measurement(Workload workload, double scale, double heap) {
        Findings findings = new Findings();
        samples(findings, workload, scale, heap);
        return new Measurement(workload, findings);
    }

    private static void samples(Findings findings, Workload workload, double scale, double heap) {
        double[] polder = {4, 8, 4};
        double[] jdk = {40, 40, 80};
        for (int i = 0; i < polder.length; i++) {
            findings.sample(name(workload, Contender.POLDER), polder[i] * scale);
            findings.sample(name(workload, Contender.JDK), jdk[i] * scale);
            findings.sample(name(workload, Contender.LWJGL), 6 * scale);
            findings.sample(name(workload, Contender.MALLOC), 60 * scale);
            findings.sample(name(workload, Contender.NONE), 3 * scale);
        }
        findings.sample(ConfinedJvm.sampleName(workload, ConfinedJvm.HEAP), heap);
        findings.count(ConfinedJvm.sampleName(workload, ConfinedJvm.UNCOMPILED), 0);
    }

    private static String name(Workload workload, Contender contender) {
        return ConfinedJvm.sampleName(workload, contender.name());
    }
}
