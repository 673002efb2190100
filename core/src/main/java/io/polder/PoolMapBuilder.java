package io.polder;

import io.polder.memory.MapSink;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A map while it is made. */
final class PoolMapBuilder implements MapSink {
    private final Map<PoolMap.Piece, Integer> kinds = new LinkedHashMap<>();
    private final List<PoolMap.Area> areas = new ArrayList<>();
    private final List<Integer> pieces = new ArrayList<>();

    @Override
    public void piece(String state, long bytes, long usedBytes) {
        PoolMap.Piece piece = new PoolMap.Piece(state, bytes, usedBytes);
        pieces.add(kinds.computeIfAbsent(piece, _ -> kinds.size()));
    }

    @Override
    public void area(String part, long address, long committedBytes) {
        areas.add(new PoolMap.Area(part, address, committedBytes, pieces));
        pieces.clear();
    }

    PoolMap build() {
        return new PoolMap(List.copyOf(kinds.keySet()), areas);
    }
}
