package io.polder;

import io.polder.memory.DeepStackRunner;

import java.util.List;

/**
 * The memory of a pool, piece by piece: its chunks, its pages, and the spans of its blocks. Chunks
 * are of one moment, and pages are, blocks as far as one can see while threads use them. MXBeans
 * have the same, by the same names.
 *
 * <p>{@link #toString} is the map as text: one letter per chunk, per 2 MiB of pages, and per 64 KiB
 * of blocks; for people.
 *
 * @param kinds each kind of piece, once
 * @param areas those of chunks, those of pages, and those of blocks
 */
public record PoolMap(List<Piece> kinds, List<Area> areas) {
    /** Copies the lists. */
    public PoolMap {
        kinds = List.copyOf(kinds);
        areas = List.copyOf(areas);
    }

    /**
     * Addresses without a gap.
     *
     * @param part {@code chunks}: 4 MiB of them, or as many as are not used yet; {@code pages}: all
     *     that were reserved together; or {@code blocks}: 4 MiB of chunks, as what lies in them
     *     sees it. Later versions may have more.
     * @param address the first
     * @param committedBytes how much memory is behind them; 0 for blocks, which are in chunks
     * @param pieces in the order of their addresses, each as its place in {@link #kinds}: there may
     *     be thousands in an area, and thousands of areas
     */
    public record Area(String part, long address, long committedBytes, List<Integer> pieces) {
        /** Copies the list. */
        public Area {
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * A chunk; a page, 2 MiB that are free, or neighbours of those without memory; or 64 KiB of
     * blocks.
     *
     * @param state {@code USED}: somebody has it; {@code FREE}: nobody has it; {@code DIRTY}:
     *     nobody has it, and it is not zero; {@code COLD}: nobody has it, and it is without memory;
     *     {@code ISOLATED}: it is being worked on; {@code LOST}: the system took it away; {@code
     *     UNUSED}: no chunk and no block was there yet; {@code UNKNOWN}: the pool is broken. Later
     *     versions may have more.
     * @param bytes its size
     * @param usedBytes how much of it is used: 0 or all; of blocks, rounded up to a tenth
     */
    public record Piece(String state, long bytes, long usedBytes) {}

    /** The map as text, for people. */
    @Override
    public String toString() {
        return DeepStackRunner.call(() -> PoolMapText.of(this)); // it uses a formatter
    }
}
