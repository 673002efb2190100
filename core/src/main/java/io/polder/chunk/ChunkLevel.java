package io.polder.chunk;

/**
 * The sizes of chunks.
 *
 * <pre>{@code
 *   level       0        1        2     ...    11      12
 *   size     4 MiB    2 MiB    1 MiB    ...   2 KiB   1 KiB
 *             root                                    smallest
 * }</pre>
 *
 * <p>A level says how often a root chunk was halved: it grows as the size shrinks.
 */
public final class ChunkLevel {
    /** The level of a root chunk. */
    public static final int ROOT = 0;

    /** The level of the smallest chunk. */
    public static final int SMALLEST = 12;

    /** How many levels there are. */
    public static final int COUNT = SMALLEST + 1;

    private static final int ROOT_SHIFT = 22;

    /** Bytes in a root chunk. */
    public static final long ROOT_BYTES = 1L << ROOT_SHIFT;

    /** Bytes in the smallest chunk. */
    public static final long SMALLEST_BYTES = ROOT_BYTES >> SMALLEST;

    private ChunkLevel() {}

    /** Bytes in a chunk of a level. */
    public static long bytes(int level) {
        return ROOT_BYTES >> level;
    }

    /**
     * The level of the smallest chunk that holds so many bytes.
     *
     * @param bytes from 0 to {@link #ROOT_BYTES}
     * @throws IllegalArgumentException if no chunk is that large
     */
    public static int fitting(long bytes) {
        if (bytes < 0 || bytes > ROOT_BYTES) {
            throw new IllegalArgumentException(
                    "a chunk has at most " + ROOT_BYTES + " bytes: bytes=" + bytes);
        }
        if (bytes <= SMALLEST_BYTES) {
            return SMALLEST;
        }
        return ROOT_SHIFT - (Long.SIZE - Long.numberOfLeadingZeros(bytes - 1));
    }
}
