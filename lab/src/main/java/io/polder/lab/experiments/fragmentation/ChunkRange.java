package io.polder.lab.experiments.fragmentation;

import io.polder.tools.html.MemoryMap.Piece;
import io.polder.tools.html.MemoryMap.Span;
import io.polder.tools.html.MemoryMap.State;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A range of addresses that is cut into chunks from its lower end.
 *
 * <pre>{@code
 *   0                              top                      bytes
 *   | chunk | chunk |  ...  | chunk |      never cut yet      |
 * }</pre>
 *
 * <p><b>Invariants</b> ({@link #verify}): chunks tile {@code [0, top)}; {@code top <= bytes}. The
 * top never falls. Not thread-safe.
 */
final class ChunkRange {
    private final long bytes;
    private final NavigableMap<Long, SizedChunk> chunks = new TreeMap<>();
    private long top;

    ChunkRange(long bytes) {
        this.bytes = bytes;
    }

    long bytes() {
        return bytes;
    }

    long top() {
        return top;
    }

    boolean hasRoom(long more) {
        return more <= bytes - top;
    }

    /** Cuts a free chunk off the part that was never cut, which must have room for it. */
    SizedChunk append(ChunkKind kind, long chunkBytes) {
        if (!hasRoom(chunkBytes)) {
            throw new AssertionError(
                    "a chunk lies inside its range: top="
                            + top
                            + ", chunkBytes="
                            + chunkBytes
                            + ", bytes="
                            + bytes);
        }
        SizedChunk chunk = new SizedChunk(top, chunkBytes, kind);
        chunks.put(top, chunk);
        top += chunkBytes;
        return chunk;
    }

    /** The chunks that begin in a range of addresses. */
    List<SizedChunk> within(long from, long to) {
        return List.copyOf(chunks.subMap(from, to).values());
    }

    /** Cuts what some neighbouring chunks covered anew. Both lists are in address order. */
    void replace(Collection<SizedChunk> old, Collection<SizedChunk> fresh) {
        old.forEach(chunk -> chunks.remove(chunk.start()));
        fresh.forEach(chunk -> chunks.put(chunk.start(), chunk));
    }

    Collection<SizedChunk> chunks() {
        return chunks.values();
    }

    /** One line per {@link MapLines#LETTERS} chunks, in address order, a letter each. */
    String map() {
        List<String> lines = new ArrayList<>();
        StringBuilder letters = new StringBuilder();
        long lineStart = 0;
        for (SizedChunk chunk : chunks.values()) {
            if (letters.length() == MapLines.LETTERS) {
                lines.add(MapLines.line(lineStart, letters));
                letters.setLength(0);
            }
            if (letters.isEmpty()) {
                lineStart = chunk.start();
            }
            letters.append(chunk.letter());
        }
        if (!letters.isEmpty()) {
            lines.add(MapLines.line(lineStart, letters));
        }
        lines.add("never used: " + ((bytes - top) >> 10) + "K");
        return String.join("\n", lines) + "\n";
    }

    /** The chunks and what was never cut, for a drawing; a model has no memory anywhere. */
    List<Span> layout() {
        List<Piece> pieces = new ArrayList<>();
        for (SizedChunk chunk : chunks.values()) {
            pieces.add(new Piece(chunk.isUsed() ? State.USED : State.FREE, chunk.bytes()));
        }
        if (top < bytes) {
            pieces.add(new Piece(State.BARE, bytes - top));
        }
        return List.of(new Span(0, pieces));
    }

    /**
     * Checks the invariants.
     *
     * @throws AssertionError if one is broken
     */
    void verify() {
        long end = 0;
        for (Map.Entry<Long, SizedChunk> entry : chunks.entrySet()) {
            SizedChunk chunk = entry.getValue();
            if (entry.getKey() != chunk.start() || chunk.start() != end || chunk.bytes() <= 0) {
                throw new AssertionError(
                        "chunks tile the range: chunk=" + chunk + ", expected start=" + end);
            }
            end = chunk.end();
        }
        if (end != top || top > bytes) {
            throw new AssertionError(
                    "chunks end at the top: end=" + end + ", top=" + top + ", bytes=" + bytes);
        }
    }
}
