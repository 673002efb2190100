package io.polder.lab.report;

/**
 * A report for a terminal: warnings, tables, what their rows are and where more is said of it, and
 * goals if they are asked for.
 */
public final class ReportText {
    private ReportText() {}

    /**
     * The whole text.
     *
     * @param more where more is said, for people
     */
    public static String of(Report report, boolean goals, String more) {
        StringBuilder text = new StringBuilder();
        report.warnings().forEach(warning -> text.append(warning).append('\n'));
        text.append(report.warnings().isEmpty() ? "" : "\n").append(report.tables());
        text.append(report.tables().endsWith("\n") ? "\n" : "\n\n").append(Legend.of(report));
        text.append("More: ").append(more).append('\n');
        if (goals && !report.section().goals().isEmpty()) {
            text.append('\n').append(Goal.table(report.section().goals()));
        }
        return text.toString();
    }
}
