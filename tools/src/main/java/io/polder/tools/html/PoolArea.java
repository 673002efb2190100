package io.polder.tools.html;

import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Span;
import io.polder.tools.html.MemoryMap.State;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Addresses without a gap in the map of a pool, which may be that of another JVM: see {@code
 * MemoryPool.map()}.
 *
 * @param part {@code chunks}, {@code pages}, {@code blocks}, or what a later version has
 * @param address the first
 * @param committedBytes how much memory is behind them
 * @param pieces in the order of their addresses
 */
public record PoolArea(String part, long address, long committedBytes, List<Piece> pieces) {
    /** Copies the list. */
    public PoolArea {
        pieces = List.copyOf(pieces);
    }

    /**
     * A piece of an area.
     *
     * @param state {@code USED}, {@code FREE}, or as {@code io.polder.PoolMap} says
     * @param bytes its size
     * @param usedBytes how much of it is used
     */
    public record Piece(String state, long bytes, long usedBytes) {
        /** Whether it was made into nothing yet. */
        public boolean isUnused() {
            return state.equals("UNUSED");
        }

        private MemoryMap.Piece drawn() {
            return new MemoryMap.Piece(
                    switch (state) {
                        case "USED" -> State.USED;
                        case "FREE" -> State.FREE;
                        case "DIRTY" -> State.DIRTY;
                        case "COLD" -> State.BARE;
                        default -> State.ISOLATED;
                    },
                    bytes);
        }
    }

    /** A part of a map to be drawn; none if the map has none of it. */
    public static Optional<Panel> panel(String title, String part, List<PoolArea> areas) {
        Map<Long, List<MemoryMap.Piece>> spans = new LinkedHashMap<>();
        List<MemoryMap.Piece> last = new ArrayList<>();
        long end = -1;
        for (PoolArea area : areas) {
            if (area.part.equals(part) && area.pieces.stream().noneMatch(Piece::isUnused)) {
                if (area.address != end) {
                    last = new ArrayList<>();
                    spans.put(area.address, last);
                    end = area.address;
                }
                for (Piece piece : area.pieces) {
                    last.add(piece.drawn());
                    end += piece.bytes;
                }
            }
        }
        List<Span> drawn = new ArrayList<>();
        spans.forEach((start, pieces) -> drawn.add(new Span(start, pieces)));
        return drawn.isEmpty() ? Optional.empty() : Optional.of(new Panel(title, drawn));
    }
}
