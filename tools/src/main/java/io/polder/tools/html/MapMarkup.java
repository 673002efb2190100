package io.polder.tools.html;

import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.State;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** How a map of memory is written: a legend, and a canvas for each panel with its sums in words. */
final class MapMarkup {
    private MapMarkup() {}

    static void write(Markup out, MemoryMap map) {
        out.open("p", "class", "legend");
        for (State state : states(map)) {
            out.open("span", "class", "key");
            out.element("i", "", "class", "cell cell-" + state.id());
            out.text(state.label());
            out.close();
        }
        out.close();
        out.open("div", "class", "panels");
        for (Panel panel : map.panels()) {
            out.open("div", "class", "panel");
            out.element("h4", panel.title());
            String label =
                    panel.title()
                            + ": "
                            + words(panel)
                            + ". The left and right arrow keys read it piece by piece.";
            out.element("canvas role=\"img\" tabindex=\"0\"", "", "aria-label", label);
            out.element("p", words(panel), "class", "sums");
            out.close();
        }
        out.close();
        out.element("output", "Point at a piece to see what it is.", "class", "reading");
        ChartMarkup.data(out, MapData.of(map));
    }

    static DataTable table(MemoryMap map) {
        List<String> titles = new ArrayList<>(List.of("Memory"));
        List<State> states = states(map);
        states.forEach(state -> titles.add(state.label()));
        List<List<String>> rows = new ArrayList<>();
        for (Panel panel : map.panels()) {
            List<String> row = new ArrayList<>(List.of(panel.title()));
            states.forEach(state -> row.add(panel.summary(state)));
            rows.add(row);
        }
        return DataTable.ofNumbers(map.caption().title(), titles, rows);
    }

    private static String words(Panel panel) {
        return Arrays.stream(State.values())
                .filter(state -> panel.bytes(state) > 0)
                .map(state -> Unit.BYTES.format((double) panel.bytes(state)) + " " + state.label())
                .collect(Collectors.joining(", "));
    }

    private static List<State> states(MemoryMap map) {
        return Arrays.stream(State.values())
                .filter(state -> map.panels().stream().anyMatch(panel -> panel.bytes(state) > 0))
                .toList();
    }
}
