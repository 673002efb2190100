package io.polder.tools.html;

import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A time line for the script, as a table, and in words. */
final class TimeLineData {
    private TimeLineData() {}

    static Map<String, Object> of(TimeLine chart) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("unit", chart.unit().id());
        data.put("across", chart.across());
        data.put("lines", chart.lines().stream().map(TimeLineData::line).toList());
        data.put("marks", chart.marks().stream().map(TimeLineData::mark).toList());
        return data;
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

    private static Map<String, Object> line(Line line) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("name", line.name());
        data.put("tone", line.tone().id());
        data.put("x", ScriptData.numbers(line.points().stream().map(Point::x).toList()));
        data.put("y", ScriptData.numbers(line.points().stream().map(Point::y).toList()));
        return data;
    }

    private static Map<String, Object> mark(Mark mark) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("x", mark.x());
        data.put("label", mark.label());
        return data;
    }
}
