package io.polder.lab.report;

/** A report for a terminal: warnings, tables, and goals if they are asked for. */
public final class ReportText {
    private ReportText() {}

    /** The whole text. */
    public static String of(Report report, boolean goals) {
        StringBuilder text = new StringBuilder();
        report.warnings().forEach(warning -> text.append(warning).append('\n'));
        text.append(report.warnings().isEmpty() ? "" : "\n").append(report.tables());
        if (goals && !report.section().goals().isEmpty()) {
            text.append('\n').append(Goal.table(report.section().goals()));
        }
        return text.toString();
    }
}
