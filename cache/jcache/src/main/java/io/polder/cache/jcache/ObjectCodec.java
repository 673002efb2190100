package io.polder.cache.jcache;

import io.polder.cache.Codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;

/**
 * Objects whose type is known only when they are there: a byte that says what follows, then a
 * string, number or array of bytes as {@link Codec} writes it, or what {@link Serialization}
 * writes.
 *
 * <p>Thread-safe.
 */
final class ObjectCodec<T> implements Codec<T> {
    private static final byte SERIALIZED = 0;
    private static final byte STRING = 1;
    private static final byte LONG = 2;
    private static final byte INTEGER = 3;
    private static final byte BYTES = 4;

    private static final Codec<String> STRINGS = Codec.strings();
    private static final Codec<Long> LONGS = Codec.longs();
    private static final Codec<Integer> INTS = Codec.ints();

    private final Class<T> type;
    private final Codec<Object> serialized;
    private final UUID id = UUID.randomUUID();

    ObjectCodec(Class<T> type, Serialization serialization) {
        this.type = type;
        this.serialized = Codec.of("serialized", serialization::write, serialization::read);
    }

    /** Of this cache alone: another one, or a later one, has not written the classes of a file. */
    @Override
    public String format() {
        return "serialized:" + id;
    }

    @Override
    public long size(T value) {
        T checked = type.cast(value);
        long content =
                switch (checked) {
                    case String text -> STRINGS.size(text);
                    case Long _ -> Long.BYTES;
                    case Integer _ -> Integer.BYTES;
                    case byte[] bytes -> bytes.length;
                    default -> serialized.size(checked);
                };
        return 1 + content;
    }

    @Override
    public void write(T value, MemorySegment to) {
        MemorySegment content = to.asSlice(1);
        switch ((Object) value) {
            case String text -> {
                to.set(ValueLayout.JAVA_BYTE, 0, STRING);
                STRINGS.write(text, content);
            }
            case Long number -> {
                to.set(ValueLayout.JAVA_BYTE, 0, LONG);
                LONGS.write(number, content);
            }
            case Integer number -> {
                to.set(ValueLayout.JAVA_BYTE, 0, INTEGER);
                INTS.write(number, content);
            }
            case byte[] bytes -> {
                to.set(ValueLayout.JAVA_BYTE, 0, BYTES);
                copy(bytes, content);
            }
            default -> {
                to.set(ValueLayout.JAVA_BYTE, 0, SERIALIZED);
                serialized.write(value, content);
            }
        }
    }

    private static void copy(byte[] bytes, MemorySegment to) {
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    @Override
    public T read(MemorySegment from) {
        MemorySegment content = from.asSlice(1);
        byte kind = from.get(ValueLayout.JAVA_BYTE, 0);
        Object value =
                switch (kind) {
                    case STRING -> STRINGS.read(content);
                    case LONG -> LONGS.read(content);
                    case INTEGER -> INTS.read(content);
                    case BYTES -> content.toArray(ValueLayout.JAVA_BYTE);
                    case SERIALIZED -> serialized.read(content);
                    default -> throw new AssertionError("kind of an object: kind=" + kind);
                };
        return type.cast(value);
    }
}
