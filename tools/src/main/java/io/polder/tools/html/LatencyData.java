package io.polder.tools.html;

import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.Latency.Point;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Latencies for the script, as a table, and in words. */
final class LatencyData {
    /** Far enough not to be the same, and not so far that it shows. */
    private static final double NEXT = 1.001;

    private LatencyData() {}

    /** What the script reads. */
    private record Plot(String unit, List<ScriptData.Line> lines) {}

    static Record of(Latency chart) {
        return new Plot(Unit.NANOS.id(), chart.curves().stream().map(LatencyData::curve).toList());
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

    private static ScriptData.Line curve(Curve curve) {
        List<Double> longer = new ArrayList<>();
        double most = 1;
        for (Point point : curve.points()) {
            // One in so many took longer. At 100 % none did: that is put just right of the others.
            most = point.percentile() < 100 ? 100 / (100 - point.percentile()) : most * NEXT;
            longer.add(most);
        }
        List<Double> nanos = curve.points().stream().map(Point::nanos).toList();
        return ScriptData.Line.of(curve.name(), curve.tone(), longer, nanos);
    }

    private static String number(double percentile) {
        return percentile == Math.rint(percentile)
                ? String.format(Locale.ROOT, "%.0f", percentile)
                : Double.toString(percentile);
    }
}
