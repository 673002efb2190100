package io.polder.lab.report;

import java.util.stream.Collectors;

/**
 * A report for a terminal: warnings, tables, what their rows are and where more is said of it,
 * goals if they are asked for, and the warnings again: a terminal shows the end of a long text.
 */
public final class ReportText {
    private ReportText() {}

    /**
     * The whole text.
     *
     * @param more where more is said, for people
     */
    public static String of(Report report, boolean goals, String more) {
        String warnings =
                report.warnings().stream().map(each -> each + "\n").collect(Collectors.joining());
        StringBuilder text = new StringBuilder(warnings);
        text.append(warnings.isEmpty() ? "" : "\n").append(report.tables());
        text.append(report.tables().endsWith("\n") ? "\n" : "\n\n").append(Legend.of(report));
        text.append("More: ").append(more).append('\n');
        if (goals && !report.section().goals().isEmpty()) {
            text.append('\n').append(Goal.table(report.section().goals()));
        }
        return text.append(warnings.isEmpty() ? "" : "\n").append(warnings).toString();
    }
}
