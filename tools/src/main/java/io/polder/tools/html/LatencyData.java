package io.polder.tools.html;

import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.Latency.Point;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Latencies for the script, as a table, and in words. */
final class LatencyData {
    /** Far enough not to be the same, and not so far that it shows. */
    private static final double NEXT = 1.001;

    private LatencyData() {}

    static Map<String, Object> of(Latency chart) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("unit", Unit.NANOS.id());
        data.put("lines", chart.curves().stream().map(LatencyData::curve).toList());
        return data;
    }

    static DataTable table(Latency chart) {
        List<String> titles = new ArrayList<>(List.of("Curve"));
        Latency.PERCENTILES.forEach(
                percentile -> titles.add(String.format(Locale.ROOT, "%s %%", number(percentile))));
        titles.add("Worst");
        List<List<String>> rows = new ArrayList<>();
        for (Curve curve : chart.curves()) {
            List<String> row = new ArrayList<>(List.of(curve.name()));
            curve.table().forEach(nanos -> row.add(Unit.NANOS.format(nanos)));
            rows.add(row);
        }
        return DataTable.ofNumbers(chart.caption().title(), titles, rows);
    }

    static String words(Latency chart) {
        return "Percentile chart, "
                + chart.caption().title()
                + ". "
                + chart.curves().stream()
                        .map(
                                curve ->
                                        curve.name()
                                                + ": half within "
                                                + Unit.NANOS.format(curve.median())
                                                + ", worst "
                                                + Unit.NANOS.format(curve.worst()))
                        .collect(Collectors.joining("; "))
                + ". The left and right arrow keys read it point by point.";
    }

    private static Map<String, Object> curve(Curve curve) {
        List<Double> longer = new ArrayList<>();
        double most = 1;
        for (Point point : curve.points()) {
            // One in so many took longer. At 100 % none did: that is put just right of the others.
            most = point.percentile() < 100 ? 100 / (100 - point.percentile()) : most * NEXT;
            longer.add(most);
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("name", curve.name());
        data.put("tone", curve.tone().id());
        data.put("x", ScriptData.numbers(longer));
        data.put("y", ScriptData.numbers(curve.points().stream().map(Point::nanos).toList()));
        return data;
    }

    private static String number(double percentile) {
        return percentile == Math.rint(percentile)
                ? String.format(Locale.ROOT, "%.0f", percentile)
                : Double.toString(percentile);
    }
}
