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
                RecordCodec {
    /** Says in files what their bytes are. */
    String format();

    /** What files say of a codec. */
    static String formatOf(Codec<?> codec) {
        return codec instanceof PlainCodec<?> plain
                ? plain.format()
                : codec instanceof SerializationCodec<?> serialization
                        ? serialization.format()
                        : codec.getClass().getName();
    }
}
