package io.polder.cache.jcache;

import io.polder.cache.Codec;

import org.jspecify.annotations.Nullable;

import javax.cache.configuration.Factory;

/** Chooses how the keys or values of a cache become bytes. */
final class Codecs {
    private Codecs() {}

    /**
     * @param own the codec that the configuration names; null if it names none
     */
    static <T> Codec<T> of(
            Class<T> type, @Nullable Factory<Codec<T>> own, Serialization serialization) {
        if (own != null) {
            return PolderConfiguration.make(own, "a codec");
        }
        Codec<?> plain = plain(type);
        if (plain != null) {
            @SuppressWarnings("unchecked") // it is the codec of this type
            Codec<T> codec = (Codec<T>) plain;
            return codec;
        }
        return new ObjectCodec<>(type, serialization);
    }

    private static @Nullable Codec<?> plain(Class<?> type) {
        if (type == String.class) {
            return Codec.strings();
        }
        if (type == Long.class) {
            return Codec.longs();
        }
        if (type == Integer.class) {
            return Codec.ints();
        }
        if (type == byte[].class) {
            return Codec.bytes();
        }
        if (type.isRecord()) {
            try {
                return Codec.records(type.asSubclass(Record.class));
            } catch (IllegalArgumentException _) {
                return null; // it has other components, or may not be accessed
            }
        }
        return null;
    }
}
