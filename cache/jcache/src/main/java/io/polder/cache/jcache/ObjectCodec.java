package io.polder.cache.jcache;

import io.polder.cache.Codec;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Objects whose type is known only when they are there: a byte that says what follows, then a
 * string, number or array of bytes as {@link Codec} writes it, or what {@link Serialization}
 * writes.
 *
 * <p>A cache asks for the size of an object and has it written then. So what was serialized for its
 * size is kept until it is written, one object at a time; if two threads do so at once, one
 * serializes again. It is kept weakly, since an object that is too large is not written.
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
    private final Serialization serialization;
    private final UUID id = UUID.randomUUID();
    private final AtomicReference<@Nullable WeakReference<Sized>> sized = new AtomicReference<>();

    /** Bytes of an object that is being put. */
    private static final class Sized {
        private final Object value;
        private final byte[] bytes;

        Sized(Object value, byte[] bytes) {
            this.value = value;
            this.bytes = bytes;
        }
    }

    ObjectCodec(Class<T> type, Serialization serialization) {
        this.type = type;
        this.serialization = serialization;
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
                    default -> {
                        byte[] bytes = serialization.write(checked);
                        sized.setRelease(new WeakReference<>(new Sized(checked, bytes)));
                        yield bytes.length;
                    }
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
                WeakReference<Sized> last = sized.getAndSet(null);
                Sized known = last == null ? null : last.get();
                copy(
                        known != null && known.value == value
                                ? known.bytes
                                : serialization.write(value),
                        content);
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
                    case SERIALIZED -> serialization.read(content.toArray(ValueLayout.JAVA_BYTE));
                    default -> throw new AssertionError("kind of an object: kind=" + kind);
                };
        return type.cast(value);
    }
}
