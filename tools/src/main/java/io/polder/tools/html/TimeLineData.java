package io.polder.tools.html;

import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A time line for the script, as a table, and in words. */
final class TimeLineData {
    private TimeLineData() {}

    /** What the script reads. */
    private record Plot(
            String unit, String across, List<ScriptData.Line> lines, List<Mark> marks) {}

    static Record of(TimeLine chart) {
        return new Plot(
                chart.unit().id(),
                chart.across(),
                chart.lines().stream().map(TimeLineData::line).toList(),
                chart.marks());
    }

    /** Lines by marks; without marks their first, highest and last point. */
    static DataTable table(TimeLine chart) {
        List<String> titles = new ArrayList<>(List.of("Line"));
        chart.marks().forEach(mark -> titles.add(mark.label()));
        if (chart.marks().isEmpty()) {
            titles.addAll(List.of("First", "Highest", "Last"));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Line line : chart.lines()) {
            List<String> row = new ArrayList<>(List.of(line.name()));
            values(chart, line).forEach(value -> row.add(chart.unit().format(value)));
            rows.add(row);
        }
        return DataTable.ofNumbers(chart.caption().title(), titles, rows);
    }

    static String words(TimeLine chart) {
        return "Line chart, "
                + chart.caption().title()
                + ". Highest: "
                + chart.lines().stream()
                        .map(line -> line.name() + " " + chart.unit().format(line.highest()))
                        .collect(Collectors.joining(", "))
                + ". The left and right arrow keys read it point by point.";
    }

    private static List<Double> values(TimeLine chart, Line line) {
        if (chart.marks().isEmpty()) {
            return List.of(
                    line.points().getFirst().y(), line.highest(), line.points().getLast().y());
        }
        return chart.marks().stream().map(mark -> line.at(mark.x())).toList();
    }

    private static ScriptData.Line line(Line line) {
        return ScriptData.Line.of(
                line.name(),
                line.tone(),
                line.points().stream().map(Point::x).toList(),
                line.points().stream().map(Point::y).toList());
    }
}
