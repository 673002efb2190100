package io.polder.chunk;

/**
 * The number that stands for a chunk: its address, with its level in the low bits.
 *
 * <pre>{@code
 *   63                                10 9    4 3   0
 *   |        address / 1024             |  0   |level|
 * }</pre>
 *
 * <p>Addresses of chunks are multiples of {@link ChunkLevel#SMALLEST_BYTES}, so the low bits are
 * free. A number instead of an object: code that keeps chunks makes no garbage. {@link #NONE} is no
 * chunk.
 *
 * <p>A <em>word</em> is a chunk with what its taker has of it: how much is committed, from its
 * front, and whether that is {@link #DIRTY}. A chunk is the word of one that has no memory.
 */
public final class Chunk {
    /** No chunk. */
    public static final long NONE = 0;

    /** Where the level stands: for code that must not call {@link #level}, lest that throw. */
    public static final long LEVEL_MASK = 0xF;

    /** Where the address stands, for the same code. */
    public static final long ADDRESS_MASK = -ChunkLevel.SMALLEST_BYTES;

    /** Of a word: whether what is committed may not read as zero. */
    public static final long DIRTY = 1 << 6;

    /** Where a word says how much of the chunk is committed, from its front. */
    public static final int COMMITTED_SHIFT = 48;

    /** In which unit. */
    public static final int UNIT_SHIFT = 10;

    /** Where a word has the chunk. */
    public static final long MASK = (1L << COMMITTED_SHIFT) - 1 & (ADDRESS_MASK | LEVEL_MASK);

    private Chunk() {}

    /**
     * The chunk that begins at an address.
     *
     * @param address a multiple of the chunk's size
     * @param level how often a root chunk is halved to get it
     */
    public static long of(long address, int level) {
        return address | level;
    }

    /** The address of the first byte. */
    public static long address(long chunk) {
        return chunk & -ChunkLevel.SMALLEST_BYTES;
    }

    /** How often a root chunk was halved to get it. */
    public static int level(long chunk) {
        return (int) (chunk & LEVEL_MASK);
    }

    /** The size in bytes. */
    public static long bytes(long chunk) {
        return ChunkLevel.bytes(level(chunk));
    }

    static String describe(long chunk) {
        return "0x" + Long.toHexString(address(chunk)) + "+" + bytes(chunk);
    }
}
