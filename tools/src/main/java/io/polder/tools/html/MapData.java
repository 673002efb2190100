package io.polder.tools.html;

import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Piece;
import io.polder.tools.html.MemoryMap.Span;
import io.polder.tools.html.MemoryMap.State;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A map of memory for the script.
 *
 * <pre>{@code
 * {"states": [{"id": "used", "label": "held"}, ...],
 *  "panels": [{"title": ..., "block": 0,
 *              "spans": [{"start": 0, "runs": [state, bytes, count, state, bytes, ...]}]}]}
 * }</pre>
 *
 * <p>A run is so many neighbours of one state and size. Where there are too many of them, or too
 * many pieces for a picture, a panel is cut into blocks of {@code block} bytes, and a block has the
 * state that most of its bytes have.
 */
final class MapData {
    /** Runs of a panel, and blocks: more would only make the page larger. A guess. */
    static final int RUNS_MAX = 5000;

    /** Pieces of a panel. More than this are smaller than the dots of a screen; a guess. */
    static final int PIECES_MAX = 20_000;

    private static final List<State> STATES = List.of(State.values());

    private MapData() {}

    private record Label(String id, String label) {}

    private record Runs(long start, Object runs) {}

    private record Part(String title, long block, List<Runs> spans) {}

    private record Picture(List<Label> states, List<Part> panels) {}

    static Record of(MemoryMap map) {
        return new Picture(
                STATES.stream().map(state -> new Label(state.id(), state.label())).toList(),
                map.panels().stream().map(MapData::part).toList());
    }

    private static Part part(Panel panel) {
        int runs = panel.spans().stream().mapToInt(span -> runs(span).size()).sum();
        int pieces = panel.spans().stream().mapToInt(span -> span.pieces().size()).sum();
        long block = runs <= RUNS_MAX && pieces <= PIECES_MAX ? 0 : blockBytes(panel);
        List<Runs> spans = new ArrayList<>();
        for (Span span : panel.spans()) {
            Object numbers = numbers(runs(block == 0 ? span : coarse(span, block)));
            spans.add(new Runs(span.start(), numbers));
        }
        return new Part(panel.title(), block, spans);
    }

    private record Run(Piece piece, int count) {}

    private static List<Run> runs(Span span) {
        List<Run> runs = new ArrayList<>();
        for (Piece piece : span.pieces()) {
            if (!runs.isEmpty() && runs.getLast().piece().equals(piece)) {
                runs.add(new Run(piece, runs.removeLast().count() + 1));
            } else {
                runs.add(new Run(piece, 1));
            }
        }
        return runs;
    }

    private static Object numbers(List<Run> runs) {
        List<Double> numbers = new ArrayList<>();
        for (Run run : runs) {
            numbers.add((double) STATES.indexOf(run.piece().state()));
            numbers.add((double) run.piece().bytes());
            numbers.add((double) run.count());
        }
        return ScriptData.numbers(numbers);
    }

    /** The least power of two that makes few enough blocks. */
    private static long blockBytes(Panel panel) {
        long bytes = panel.spans().stream().mapToLong(Span::bytes).sum();
        return Math.max(2, Long.highestOneBit(bytes / RUNS_MAX) << 1);
    }

    private static Span coarse(Span span, long block) {
        List<Piece> blocks = new ArrayList<>();
        Map<State, Long> bytes = new EnumMap<>(State.class);
        long room = block;
        for (Piece piece : span.pieces()) {
            long left = piece.bytes();
            while (left > 0) {
                long part = Math.min(left, room);
                bytes.merge(piece.state(), part, Long::sum);
                left -= part;
                room -= part;
                if (room == 0) {
                    blocks.add(majority(bytes));
                    bytes.clear();
                    room = block;
                }
            }
        }
        if (room < block) {
            blocks.add(majority(bytes));
        }
        return new Span(span.start(), blocks);
    }

    private static Piece majority(Map<State, Long> bytes) {
        State most =
                bytes.entrySet().stream()
                        .max(Map.Entry.comparingByValue())
                        .map(Map.Entry::getKey)
                        .orElseThrow();
        return new Piece(most, bytes.values().stream().mapToLong(Long::longValue).sum());
    }
}
