package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A codec by functions that make arrays of bytes, and take them.
 *
 * <p>A value is asked for its size first, and written then. What was made for its size is kept
 * until it is written, so that it is made once; if several threads put at the same moment, perhaps
 * again. Thread-safe.
 */
final class ArrayCodec<T> implements Codec<T> {
    private final String format;
    private final Function<? super T, byte[]> toBytes;
    private final Function<byte[], ? extends T> toValue;

    /** What was asked for its size last; weak, for nobody may want to write it. */
    private final AtomicReference<@Nullable WeakReference<Sized>> sized = new AtomicReference<>();

    private static final class Sized {
        private final Object value;
        private final byte[] bytes;

        Sized(Object value, byte[] bytes) {
            this.value = value;
            this.bytes = bytes;
        }
    }

    ArrayCodec(
            String format,
            Function<? super T, byte[]> toBytes,
            Function<byte[], ? extends T> toValue) {
        this.format = Objects.requireNonNull(format, "format");
        this.toBytes = Objects.requireNonNull(toBytes, "toBytes");
        this.toValue = Objects.requireNonNull(toValue, "toValue");
    }

    @Override
    public String format() {
        return format;
    }

    private byte[] bytes(T value) {
        return Objects.requireNonNull(toBytes.apply(value), "what toBytes returns");
    }

    @Override
    public long size(T value) {
        byte[] bytes = bytes(value);
        sized.setRelease(new WeakReference<>(new Sized(value, bytes)));
        return bytes.length;
    }

    @Override
    public void write(T value, MemorySegment to) {
        WeakReference<Sized> last = sized.getAndSet(null);
        Sized known = last == null ? null : last.get();
        byte[] bytes = known != null && known.value == value ? known.bytes : bytes(value);
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    @Override
    public T read(MemorySegment from) {
        return toValue.apply(from.toArray(ValueLayout.JAVA_BYTE));
    }
}
