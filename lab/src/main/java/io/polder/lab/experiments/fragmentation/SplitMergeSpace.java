package io.polder.lab.experiments.fragmentation;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Chunks of three sizes that are split and merged, as in HotSpot's metaspace from 2018 to 2020 (JDK
 * 11 to 15).
 *
 * <p>All but humongous chunks are aligned to their size. A request is met, in this order,
 *
 * <ol>
 *   <li>from the list of its kind;
 *   <li>by splitting the smallest larger chunk that is free: what remains becomes free chunks, each
 *       as large as its address allows;
 *   <li>from the part of the range that was never cut. The gap up to an aligned address becomes
 *       free chunks too, called padding.
 * </ol>
 *
 * <p>A small or specialized chunk that becomes free, padding included, is merged with what lies
 * around it into a medium chunk, or else a small one, if the aligned area of that size is free as a
 * whole: the {@link OccupancyMap} knows. Humongous chunks are never split and never merged.
 *
 * <p><b>Invariants</b> ({@link #verify}): those of {@link ChunkRange}; the lists hold exactly the
 * chunks that are not used; the map agrees with the chunks; chunks are aligned; no area that could
 * be merged is left unmerged. Not thread-safe.
 */
final class SplitMergeSpace implements ChunkSpace {
    /** What free chunks are merged into, the largest first. */
    static final List<ChunkKind> MERGED = List.of(ChunkKind.MEDIUM, ChunkKind.SMALL);

    /** What larger chunks there are to split, the smallest first. */
    private static final List<ChunkKind> SPLIT = MERGED.reversed();

    private final ChunkRange range;
    private final FreeChunks free = new FreeChunks();
    private final OccupancyMap occupancy = new OccupancyMap();

    SplitMergeSpace(long bytes) {
        range = new ChunkRange(bytes);
    }

    @Override
    public @Nullable SizedChunk take(ChunkKind kind, long needed) {
        long bytes = kind.bytes(needed);
        SizedChunk chunk = free.takeBest(kind, bytes);
        if (chunk == null) {
            chunk = split(kind);
        }
        if (chunk == null) {
            chunk = append(kind, bytes);
        }
        if (chunk == null) {
            return null;
        }
        chunk.setUsed(true);
        occupancy.setUsed(chunk);
        return chunk;
    }

    @Override
    public void give(SizedChunk chunk) {
        chunk.setUsed(false);
        occupancy.setUsed(chunk);
        free.add(chunk);
        for (ChunkKind kind : MERGED) {
            if (kind.compareTo(chunk.kind()) > 0 && merge(kind, chunk.start())) {
                return;
            }
        }
    }

    /** The first piece of a larger free chunk; null if there is none. */
    private @Nullable SizedChunk split(ChunkKind kind) {
        for (ChunkKind source : SPLIT) {
            SizedChunk larger = source.compareTo(kind) > 0 ? free.takeBest(source, 0) : null;
            if (larger != null) {
                long end = larger.start() + kind.bytes(0);
                SizedChunk piece = new SizedChunk(larger.start(), kind.bytes(0), kind);
                List<SizedChunk> remains = pieces(end, larger.end());
                List<SizedChunk> all = new ArrayList<>(remains);
                all.addFirst(piece);
                recut(List.of(larger), all);
                remains.forEach(free::add);
                return piece;
            }
        }
        return null;
    }

    /** A chunk from the part that was never cut; null if it has no room. */
    private @Nullable SizedChunk append(ChunkKind kind, long bytes) {
        long gap = ChunkKind.roundUp(range.top(), kind.alignment()) - range.top();
        if (!range.hasRoom(gap + bytes)) {
            return null;
        }
        for (SizedChunk sized : pieces(range.top(), range.top() + gap)) {
            SizedChunk padding = range.append(sized.kind(), sized.bytes());
            occupancy.put(padding);
            give(padding);
        }
        SizedChunk chunk = range.append(kind, bytes);
        occupancy.put(chunk);
        return chunk;
    }

    /** What to cut {@code [from, to)} into: each chunk as large as address and room allow. */
    private static List<SizedChunk> pieces(long from, long to) {
        List<SizedChunk> pieces = new ArrayList<>();
        long at = from;
        while (at < to) {
            long small = ChunkKind.SMALL.bytes(0);
            boolean fits = at % small == 0 && at + small <= to;
            ChunkKind kind = fits ? ChunkKind.SMALL : ChunkKind.SPECIALIZED;
            pieces.add(new SizedChunk(at, kind.bytes(0), kind));
            at += kind.bytes(0);
        }
        return pieces;
    }

    /** Merges the aligned area of a kind's size around an address, if it can be merged. */
    private boolean merge(ChunkKind kind, long address) {
        long start = address - address % kind.bytes(0);
        if (!occupancy.isMergeable(start, start + kind.bytes(0), range.top())) {
            return false;
        }
        List<SizedChunk> parts = range.within(start, start + kind.bytes(0));
        parts.forEach(free::remove);
        SizedChunk merged = new SizedChunk(start, kind.bytes(0), kind);
        recut(parts, List.of(merged));
        free.add(merged);
        return true;
    }

    private void recut(List<SizedChunk> old, List<SizedChunk> fresh) {
        range.replace(old, fresh);
        old.forEach(occupancy::remove);
        fresh.forEach(occupancy::put);
    }

    @Override
    public ChunkRange range() {
        return range;
    }

    @Override
    public void verify() {
        range.verify();
        SpaceChecks.listsHoldTheFree(range, free);
        SpaceChecks.mapAgrees(range, occupancy);
        SpaceChecks.allIsMerged(range, occupancy);
    }
}
