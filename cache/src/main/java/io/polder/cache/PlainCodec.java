package io.polder.cache;

import java.lang.foreign.MemorySegment;

/**
 * A codec of this package, which keeps no segment and writes every byte: so it may be shown arrays
 * that others use afterwards. What most caches have reads and writes these without a segment.
 */
sealed interface PlainCodec<T> extends Codec<T>
        permits PlainCodecs.Bytes,
                PlainCodecs.Strings,
                PlainCodecs.Longs,
                PlainCodecs.Ints,
                PlainCodecs.Segments,
                RecordCodec {
    /** Writes a value of so many bytes to the front of an array. */
    default void write(T value, byte[] to, int bytes) {
        write(value, MemorySegment.ofArray(to).asSlice(0, bytes));
    }

    /** Reads a value from a part of an array. */
    default T read(byte[] from, int at, int bytes) {
        return read(MemorySegment.ofArray(from).asSlice(at, bytes));
    }
}
