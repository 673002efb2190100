package io.polder.lab.report;

import io.polder.tools.html.Chart;

import java.util.List;

/**
 * What a page shows of an experiment, besides its metrics and its text.
 *
 * @param headline what it found, in one sentence with figures
 * @param goals all that it had, in order; may be empty
 * @param charts from top to bottom; may be empty
 */
public record ReportSection(String headline, List<Goal> goals, List<Chart> charts) {
    /** Nothing but metrics and text. */
    public static final ReportSection NONE = new ReportSection("", List.of(), List.of());

    /** Copies the lists. */
    public ReportSection {
        goals = List.copyOf(goals);
        charts = List.copyOf(charts);
    }

    /** The same without what was to be reached. */
    public ReportSection withoutGoals() {
        return new ReportSection(
                headline, List.of(), charts.stream().map(Chart::withoutGoals).toList());
    }
}
