package io.polder.lab.confined;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.experiment.Exhibit;
import io.polder.lab.experiment.Goal;
import io.polder.lab.experiment.Metric;
import io.polder.lab.experiment.Metric.Better;
import io.polder.lab.experiment.Report;
import io.polder.lab.html.Bars;

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
                    "confined.s1000.lwjgl_ratio",
                    "confined.s2000.speedup",
                    "confined.s8000.speedup",
                    "confined.3x5.speedup",
                    "confined.3x20.speedup",
                    "confined.nested5.speedup",
                    "confined.virtual.s5.speedup",
                    "confined.empty.ns",
                    "confined.calls.speedup",
                    "confined.heap_bytes_per_op");

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
        assertThat(metrics)
                .filteredOn(metric -> metric.better() == Better.LOWER)
                .extracting(Metric::name)
                .containsExactly("confined.empty.ns", "confined.heap_bytes_per_op");
    }

    @Test
    void exhibit_hasARatioForEachWorkloadAndContender() {
        Exhibit exhibit = ConfinedExhibit.of(measurements(1, 0));

        assertThat(exhibit.headline())
                .isEqualTo(
                        "A confined arena with an allocation of 5 B takes 4 ns, 10.0 times as"
                                + " fast as the JDK’s.");
        assertThat(exhibit.charts())
                .map(Bars.class::cast)
                .extracting(bars -> bars.bars().size())
                .containsExactly(11, 4);
        Bars bars = (Bars) exhibit.charts().getFirst();
        assertThat(bars.bars().getFirst().spread()).isEqualTo(new Bars.Spread(7.5, 10, 15));
        assertThat(exhibit.goals())
                .contains(
                        new Goal("5 B, JDK / Polder", ">= 6.00×", "10.0×", true),
                        new Goal("3 x 5 B, JDK / Polder", ">= 14.0×", "10.0×", false),
                        new Goal("empty arena", "<= 1 ns", "4 ns", false),
                        new Goal("5 B, LWJGL / Polder", ">= 1.00×", "1.50×", true),
                        new Goal("Java heap per operation", "0 B", "0.000 B", true));
    }

    @Test
    void text_fitsATerminal() {
        String text = ConfinedText.of(measurements(1, 0), Pace.FULL);
        String slow = ConfinedText.of(measurements(123_456, 1e6), Pace.QUICK);

        assertThat(text.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(slow.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
    }

    @Test
    void text_showsTimesRatiosGoalsAndVerdicts() {
        String text = ConfinedText.of(measurements(1, 0), Pace.QUICK);

        assertThat(row(text, "5 B"))
                .isEqualTo("5 B 40.00 4.00 10.00x 7.50x - 15.00x >= 6.0x reached");
        assertThat(row(text, "3 x 5 B"))
                .isEqualTo("3 x 5 B 40.00 4.00 10.00x 7.50x - 15.00x >= 14.0x missed");
        assertThat(row(text, "empty arena"))
                .isEqualTo("empty arena 40.00 4.00 10.00x 7.50x - 15.00x <= 1 ns missed");
        assertThat(row(text, "1000 B"))
                .isEqualTo("1000 B 6.00 4.00 1.50x 1.13x - 1.50x >= 1.0x reached");
        assertThat(text).contains("0.000 B, goal 0: reached");
        assertThat(text).contains("at least 0.9 s", "at least 3 in all", "batch of 20 ms");
        assertThat(text).doesNotContain("busy");
    }

    @Test
    void text_warnsWhenTheMachineWasBusy() {
        List<Measurement> measurements = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            measurements.add(new Measurement(workload, List.of(samples(1, 0, 0.5))));
        }

        assertThat(ConfinedText.of(measurements, Pace.QUICK))
                .contains("busy with other programs")
                .contains("got 50 % of a processor");
    }

    @Test
    void measurement_poolsTheRoundsOfAllItsJvms() {
        Measurement measurement =
                new Measurement(
                        Workload.withId("s5"),
                        List.of(samples(1, 0, 1), samples(2, 8, 0.5), samples(1, 0, 0)));

        assertThat(measurement.rounds()).isEqualTo(9);
        assertThat(measurement.nanos(Contender.LWJGL).median()).isEqualTo(6);
        assertThat(measurement.heapBytesPerOp()).isEqualTo(8);
        assertThat(measurement.cpuShare()).isEqualTo(0.5);
    }

    @Test
    void heap_leavesOutTheForeignCallsOwn() {
        List<Measurement> measurements = new ArrayList<>(measurements(1, 0.5));
        measurements.removeIf(measurement -> measurement.workload().id().equals("calls"));
        measurements.add(new Measurement(Workload.withId("calls"), List.of(samples(1, 500, 1))));

        assertThat(ConfinedMetrics.heapBytesPerOp(measurements)).isEqualTo(0.5);
    }

    private static String row(String text, String label) {
        return text.lines()
                .filter(line -> line.startsWith(label + "  "))
                .findFirst()
                .orElseThrow()
                .replaceAll(" +", " ");
    }

    private static double value(List<Metric> metrics, String name) {
        return metrics.stream()
                .filter(metric -> metric.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    private static List<Measurement> measurements(double scale, double heap) {
        return Workload.ALL.stream()
                .map(workload -> new Measurement(workload, List.of(samples(scale, heap, 1))))
                .toList();
    }

    private static Samples samples(double scale, double heap, double cpuShare) {
        double[] polder = {4, 8, 4};
        double[] jdk = {40, 40, 80};
        Samples samples = new Samples(_ -> {});
        for (int i = 0; i < polder.length; i++) {
            samples.accept(Samples.sampleLine(Contender.POLDER, polder[i] * scale));
            samples.accept(Samples.sampleLine(Contender.JDK, jdk[i] * scale));
            samples.accept(Samples.sampleLine(Contender.LWJGL, 6 * scale));
        }
        samples.accept(Samples.heapLine(heap));
        samples.accept(Samples.cpuLine(cpuShare));
        samples.accept(Samples.doneLine());
        return samples;
    }
}
