package io.polder.cache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/** Java serialization. A value is serialized for its size, and again for its bytes. */
final class SerializationCodec<T extends Serializable> implements Codec<T> {
    private final Class<T> type;
    private final ObjectInputFilter filter;

    SerializationCodec(Class<T> type, ObjectInputFilter filter) {
        this.type = Objects.requireNonNull(type, "type");
        this.filter = Objects.requireNonNull(filter, "filter");
    }

    String format() {
        return "java:" + type.getName();
    }

    private static byte[] serialize(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public long size(T value) {
        return serialize(type.cast(value)).length; // others could not be read
    }

    @Override
    public void write(T value, MemorySegment to) {
        byte[] bytes = serialize(value);
        MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    @Override
    public T read(MemorySegment from) {
        byte[] bytes = from.toArray(ValueLayout.JAVA_BYTE);
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            in.setObjectInputFilter(filter);
            return type.cast(in.readObject());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a class of the value is not there", e);
        }
    }
}
