package io.polder.lab.experiments.confined;

import io.polder.lab.report.Charts;
import io.polder.lab.report.Format;
import io.polder.lab.report.ReportSection;
import io.polder.tools.html.Bars;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Chart;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Term;
import io.polder.tools.html.Tone;
import io.polder.tools.html.Unit;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What a page shows of the confined experiment: how many times as fast as the others. */
final class ConfinedSection {
    private ConfinedSection() {}

    static ReportSection of(List<Measurement> measurements) {
        List<Chart> charts = new ArrayList<>();
        for (boolean mixed : new boolean[] {true, false}) {
            List<Bar> jdk = new ArrayList<>();
            List<Bar> lwjgl = new ArrayList<>();
            for (Measurement one : measurements) {
                Workload workload = one.workload();
                if (workload.isMixed() == mixed && workload.hasSpeedup()) {
                    jdk.add(bar(one, Contender.JDK, workload.goal()));
                }
                if (workload.isMixed() == mixed && workload.hasLwjgl()) {
                    lwjgl.add(bar(one, Contender.LWJGL, ConfinedMetrics.lwjglGoal(workload)));
                }
            }
            String where = mixed ? "a JVM that has used everything" : "a fresh JVM";
            addBars(charts, "the JDK’s arena", where, jdk);
            addBars(charts, "LWJGL’s MemoryStack", where, lwjgl);
        }
        return new ReportSection(
                measurements.stream()
                        .filter(one -> one.workload().isMixed())
                        .findFirst()
                        .map(ConfinedSection::headline)
                        .orElse(""),
                ConfinedMetrics.goals(measurements),
                charts);
    }

    private static Bar bar(Measurement one, Contender other, OptionalDouble goal) {
        return Charts.bar(one.workload().term(), Term.NONE, Tone.OURS, one.ratio(other), goal);
    }

    private static void addBars(List<Chart> charts, String whose, String where, List<Bar> bars) {
        if (!bars.isEmpty()) {
            Caption caption =
                    new Caption(
                            "Time of %s, divided by Polder’s, in %s".formatted(whose, where),
                            "Right of 1× Polder is faster. A thin line spans the middle half of all"
                                    + " rounds.");
            charts.add(new Bars(caption, Scale.RATIO, Unit.TIMES, bars));
        }
    }

    private static String headline(Measurement one) {
        return Format.text(
                "A confined arena with an allocation of %s takes %s, %.1f times as fast as the"
                        + " JDK’s, in a JVM that has used everything.",
                one.workload().label(),
                Unit.NANOS.format(one.nanos(Contender.POLDER).median()),
                one.ratio(Contender.JDK).median());
    }
}
