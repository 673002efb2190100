package io.polder.lab.report;

import io.polder.PoolMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.PoolArea;
import io.polder.tools.html.PoolArea.Piece;

import java.util.List;
import java.util.Optional;

/** Maps of pools of this JVM's version, to be drawn. */
public final class PoolAreas {
    private PoolAreas() {}

    /** The chunks of a pool; none if it has none. */
    public static Optional<Panel> chunks(String title, PoolMap map) {
        return PoolArea.panel(title, "chunks", of(map));
    }

    private static List<PoolArea> of(PoolMap map) {
        List<Piece> kinds =
                map.kinds().stream()
                        .map(kind -> new Piece(kind.state(), kind.bytes(), kind.usedBytes()))
                        .toList();
        return map.areas().stream()
                .map(
                        area ->
                                new PoolArea(
                                        area.part(),
                                        area.address(),
                                        area.committedBytes(),
                                        area.pieces().stream().map(kinds::get).toList()))
                .toList();
    }
}
