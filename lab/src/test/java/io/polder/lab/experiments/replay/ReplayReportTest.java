package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.experiments.replay.Sample.Mark;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Explained;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.TimeLine;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;

/** Names, values and layout, from samples that were made up. */
class ReplayReportTest {
    /** The names that other programs rely on. */
    private static final List<String> NAMES =
            List.of(
                    "replay.peak_committed_over_used",
                    "replay.valley_committed_over_used",
                    "replay.final_committed_bytes",
                    "replay.allocations_per_second");

    private static final Survey SURVEY =
            new Survey(1_000_000, true, 900_000, 800_000, 50_000, 50_000, 9, 0, 9, 700, 800);

    private final Findings findings = new Findings();
    private final ReplayResult result = new ReplayResult(findings);

    @Test
    void metricNames_areTheAgreedOnes() {
        assertThat(new ReplayExperiment().metricNames()).isEqualTo(NAMES);
        assertThat(new ReplayExperiment().about().takesFiles()).isTrue();
    }

    @Test
    void metrics_comeFromTheirMoments() {
        fill(1);

        List<Metric> metrics = report("x.log").metrics();

        assertThat(metrics).extracting(Metric::name).isEqualTo(NAMES);
        assertThat(metrics).extracting(Metric::value).containsExactly(1.5, 2.0, 4096.0, 400_000.0);
        assertThat(metrics)
                .filteredOn(metric -> metric.better() == Better.HIGHER)
                .extracting(Metric::name)
                .containsExactly("replay.allocations_per_second");
    }

    @Test
    void section_isATimeLine() {
        fill(1);

        ReportSection section = report("x.log").section();
        Explained.check(section);

        assertThat(section.headline())
                .isEqualTo(
                        "The metaspace of this log takes 1.50× of what its 50000 owners asked for"
                                + " at the peak, 2.00× in the valley.");
        TimeLine chart = (TimeLine) section.charts().getFirst();
        assertThat(chart.lines()).extracting(TimeLine.Line::name).startsWith("used", "committed");
        assertThat(chart.lines().getFirst().points()).hasSameSizeAs(result.samples());
    }

    @Test
    void text_fitsATerminal() {
        fill(1_000_000_000);

        String text = report("x".repeat(500)).tables();

        assertThat(text.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(Report.WIDTH));
        assertThat(text)
                .contains("1000000 lines: 800000 requests of 50000 owners, 50000 of which died")
                .contains("The last line was cut, and left out.")
                .contains("1.50x at the peak, 2.00x in the valley")
                .contains("400000 per second");
    }

    @Test
    void text_rowsAreSamples() {
        fill(1 << 20);

        String text = report("x.log").tables();

        assertThat(text)
                .startsWith("x.log\n")
                .containsPattern("\n +1\\.000 +3 +10\\.0 +15\\.0 +1\\.50x +12\\.0 +peak\n")
                .containsPattern("\n +4\\.000 +0 +0\\.0 +4096\\.0 +2\\.0 +all closed, trimmed\n");
    }

    private Report report(String file) {
        MetaspaceLog log = new MetaspaceLog(List.of(Path.of(file)));
        return new ReplayReport(log, SURVEY, result).of(List.of());
    }

    private void fill(long unit) {
        sample(Mark.START, 0, 0, 0, 0, 100 * unit);
        sample(Mark.PEAK, 1_000_000_000, 3, 10 * unit, 15 * unit, 112 * unit);
        sample(Mark.VALLEY, 2_000_000_000, 2, 5 * unit, 10 * unit, 104 * unit);
        sample(Mark.END, 4_000_000_000L, 1, unit, 8 * unit, 102 * unit);
        sample(Mark.CLOSED, 4_000_000_000L, 0, 0, 4096 * unit, 102 * unit);
        findings.count(ReplayResult.EVENT_NANOS, 2_000_000_000);
    }

    private void sample(Mark mark, long nanos, int owners, long used, long committed, long rss) {
        findings.point(new Sample(mark, nanos, owners, used, committed, rss));
    }
}
