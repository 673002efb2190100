package io.polder.lab.experiments.fragmentation;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Free chunks, a list for each kind. The list of a kind is ordered by size, which tells only the
 * humongous ones apart, and by address.
 */
final class FreeChunks {
    private static final Comparator<SizedChunk> BY_SIZE =
            Comparator.comparingLong(SizedChunk::bytes).thenComparingLong(SizedChunk::start);

    private final Map<ChunkKind, NavigableSet<SizedChunk>> lists = new EnumMap<>(ChunkKind.class);

    FreeChunks() {
        for (ChunkKind kind : ChunkKind.values()) {
            lists.put(kind, new TreeSet<>(BY_SIZE));
        }
    }

    /** Takes the smallest chunk of a kind that has room, at the lowest address; null for none. */
    @Nullable SizedChunk takeBest(ChunkKind kind, long needed) {
        SizedChunk best = list(kind).ceiling(new SizedChunk(0, needed, kind));
        if (best != null) {
            remove(best);
        }
        return best;
    }

    void add(SizedChunk chunk) {
        if (!list(chunk.kind()).add(chunk)) {
            throw new AssertionError("a chunk is freed once: " + chunk);
        }
    }

    void remove(SizedChunk chunk) {
        if (!list(chunk.kind()).remove(chunk)) {
            throw new AssertionError("a free chunk is in its list: " + chunk);
        }
    }

    boolean contains(SizedChunk chunk) {
        return list(chunk.kind()).contains(chunk);
    }

    int count() {
        return lists.values().stream().mapToInt(NavigableSet::size).sum();
    }

    private NavigableSet<SizedChunk> list(ChunkKind kind) {
        NavigableSet<SizedChunk> list = lists.get(kind);
        if (list == null) {
            throw new AssertionError("every kind has a list: kind=" + kind);
        }
        return list;
    }
}
