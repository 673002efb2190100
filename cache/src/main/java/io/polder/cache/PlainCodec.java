package io.polder.cache;

/**
 * A codec of this package, which keeps no segment and writes every byte: so it may be shown arrays
 * that others use afterwards.
 */
sealed interface PlainCodec<T> extends Codec<T>
        permits PlainCodecs.Bytes,
                PlainCodecs.Strings,
                PlainCodecs.Longs,
                PlainCodecs.Ints,
                PlainCodecs.Segments,
                RecordCodec {}
