package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryExhaustedException;

/**
 * Of what spans are made, and how blocks are made in them.
 *
 * <pre>{@code
 *   blocks of     up to 8 KiB   16 KiB   32 KiB   64 KiB   128 KiB ... 1 MiB
 *   a span has         64 KiB  128 KiB  256 KiB  512 KiB   128 KiB ... 1 MiB
 * }</pre>
 *
 * where such a chunk can be had.
 *
 * <p>A block of more than 64 KiB is <em>lone</em>: it has a span to itself, of the smallest chunk
 * that it fits in. So what one size needed serves the other sizes of that chunk; with many blocks
 * in a span, each size would keep what it once needed. One that has outgrown such a chunk gets a
 * root chunk, where addresses cost nothing: it grows there without a copy.
 *
 * <p>A span is carved little by little, and committed as it is carved: one of which only a few
 * blocks are used takes as many OS pages. Memory that a chunk has beyond that, since others have
 * used it, is not claimed: it stays there until somebody needs it, or the next tick. But where
 * limits are far, a span of several blocks takes what is there at once.
 *
 * <p><b>Errors.</b> Blocks are linked first, and are there by two stores at the end.
 */
final class Carving {
    /** What is carved at a time: a program that uses a size once pays for an OS page. */
    private static final long BYTES = 4 << 10;

    /** More than this is not committed ahead of its use. Guessed. */
    private static final long AHEAD_BYTES_MAX = 32 << 10;

    /** Blocks in a span at least, where it has several. */
    private static final long BLOCKS_MIN = 8;

    /** Blocks that are larger have a span each. Guessed. */
    private static final long SHARED_BYTES_MAX = SpanMap.UNIT_BYTES;

    private Carving() {}

    /** The level of the chunks that spans of a class are made of, if there are. */
    static int level(int sizeClass) {
        long blocks = isLone(sizeClass) ? 1 : BLOCKS_MIN;
        return ChunkLevel.fitting(
                Math.max(SpanMap.UNIT_BYTES, blocks * SizeClass.bytes(sizeClass)));
    }

    /** Whether each block of a class has a span to itself. */
    static boolean isLone(int sizeClass) {
        return isLone(SizeClass.bytes(sizeClass));
    }

    /** Whether each block of a size has a span to itself, or pages. */
    static boolean isLone(long size) {
        return size > SHARED_BYTES_MAX;
    }

    /** The level of the smallest chunks that they can be made of. */
    static int smallestLevel(int sizeClass) {
        return ChunkLevel.fitting(Math.max(SpanMap.UNIT_BYTES, SizeClass.bytes(sizeClass)));
    }

    /**
     * Makes the next blocks of a span that has none free and is not carved to its end.
     *
     * @param single whether to make only one
     * @throws MemoryExhaustedException if there is no memory for them; then nothing has changed
     */
    static void carve(Span span, ChunkSpace chunks, boolean single) {
        long size = span.blockBytes;
        long from = span.carvedBytes;
        long count = single ? 1 : Math.max(1, Math.min(BYTES, span.bytes - from) / size);
        long to = from + count * size;
        if (to > span.committedBytes) {
            span.committedBytes = commit(span, to, chunks);
        }
        span.dirtyBytes = Math.max(span.dirtyBytes, to);
        long following = 0;
        for (long block = span.base + to - size; block >= span.base + from; block -= size) {
            ADDRESS_SPACE.set(WORD, block, following);
            following = block;
        }
        span.carvedBytes = to;
        span.head = following;
    }

    /**
     * Makes the only block of a span longer, within its chunk.
     *
     * @return false if there is no memory for it; then it is as it was
     */
    static boolean extend(Span span, int sizeClass, ChunkSpace chunks) {
        long size = SizeClass.bytes(sizeClass);
        if (size > span.committedBytes) {
            try {
                span.committedBytes = chunks.commit(span.chunk, span.committedBytes, size, size);
            } catch (MemoryExhaustedException none) {
                return false; // another block may be had, since room is made for one
            }
        }
        span.extend(sizeClass, size);
        return true;
    }

    /** Disclaims the memory of an owner's span that it does not need for what is carved. */
    static void disclaim(Span span, ChunkSpace chunks) {
        long needed = isLone(span.sizeClass) ? span.bytes : span.carvedBytes;
        if (span.committedBytes > needed) {
            span.committedBytes = needed; // first: what is disclaimed must not be touched
            chunks.disclaim(span.chunk, needed);
        }
    }

    /** Commits a span up to an offset at least; returns how far it is. */
    private static long commit(Span span, long to, ChunkSpace chunks) {
        long from = span.committedBytes;
        long ahead = Math.min(span.bytes, Math.max(to, from + Math.min(from, AHEAD_BYTES_MAX)));
        if (ahead > to) {
            try {
                return chunks.commit(span.chunk, from, ahead, span.bytes);
            } catch (MemoryExhaustedException tooMuch) {
                // Then what is needed, no more.
            }
        }
        return chunks.commit(span.chunk, from, to, span.bytes);
    }
}
