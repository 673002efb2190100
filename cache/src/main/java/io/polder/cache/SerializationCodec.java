package io.polder.cache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Objects;

/**
 * Java serialization.
 *
 * <p>Classes are those of the loader of the type, which knows what its values have; what it does
 * not know is looked for where this module is.
 */
final class SerializationCodec<T extends Serializable> implements Codec<T> {
    private final Class<T> type;
    private final ObjectInputFilter filter;
    private final Codec<Object> serialized;

    SerializationCodec(Class<T> type, ObjectInputFilter filter) {
        this.type = Objects.requireNonNull(type, "type");
        this.filter = Objects.requireNonNull(filter, "filter");
        this.serialized =
                new ArrayCodec<>("java:" + type.getName(), this::serialize, this::deserialize);
    }

    @Override
    public String format() {
        return serialized.format();
    }

    private byte[] serialize(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Output(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public long size(T value) {
        return serialized.size(type.cast(value)); // others could not be read
    }

    @Override
    public void write(T value, MemorySegment to) {
        serialized.write(value, to);
    }

    @Override
    public T read(MemorySegment from) {
        return type.cast(serialized.read(from));
    }

    private Object deserialize(byte[] bytes) {
        try (Input in = new Input(new ByteArrayInputStream(bytes))) {
            return in.readValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a class of the value is not there", e);
        }
    }

    /** A class that could not be read is not written. */
    private final class Output extends ObjectOutputStream {
        private final AskedFilter asked = new AskedFilter(filter);

        Output(OutputStream out) throws IOException {
            super(out);
        }

        @Override
        protected void annotateClass(Class<?> written) {
            asked.checkWritten(written);
        }

        @Override
        protected void annotateProxyClass(Class<?> written) {
            asked.checkWrittenProxy(written);
        }
    }

    /** The stream asks the filter for each class that it is given. */
    private final class Input extends ObjectInputStream {
        private final AskedFilter asked = new AskedFilter(filter);

        Input(InputStream in) throws IOException {
            super(in);
            setObjectInputFilter(asked);
        }

        Object readValue() throws IOException, ClassNotFoundException {
            try {
                return readObject();
            } catch (InvalidClassException e) {
                throw asked.named(e);
            }
        }

        private Class<?> find(String name) throws ClassNotFoundException {
            return Class.forName(name, false, type.getClassLoader());
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass described)
                throws IOException, ClassNotFoundException {
            try {
                return find(described.getName());
            } catch (ClassNotFoundException _) {
                return super.resolveClass(described);
            }
        }

        /** Initialises no class: the filter is asked afterwards. */
        @Override
        @SuppressWarnings("deprecation") // what is in place of it makes an object
        protected Class<?> resolveProxyClass(String[] interfaces)
                throws IOException, ClassNotFoundException {
            Class<?>[] types = new Class<?>[interfaces.length];
            ClassLoader definer = type.getClassLoader();
            try {
                for (int i = 0; i < interfaces.length; i++) {
                    types[i] = find(interfaces[i]);
                    if (!Modifier.isPublic(types[i].getModifiers())) {
                        definer = types[i].getClassLoader(); // no other one may
                    }
                }
            } catch (ClassNotFoundException _) {
                return super.resolveProxyClass(interfaces);
            }
            try {
                return Proxy.getProxyClass(definer, types);
            } catch (IllegalArgumentException notInterfaces) {
                throw new ClassNotFoundException("a proxy class must be possible", notInterfaces);
            }
        }
    }
}
