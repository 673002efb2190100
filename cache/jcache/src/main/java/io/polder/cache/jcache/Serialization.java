package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.cache.CacheException;

/**
 * Java serialization of the keys and values of one cache.
 *
 * <p>Only classes that it has written are read, and arrays, which do nothing: the bytes come from
 * nowhere else. The filters of the configuration and of the JVM, where there are any, must not
 * reject them either.
 *
 * <p>What is written depends on what is equal, not on what is identical: where an object has equal
 * strings or numbers, one is written and then referred to, so that keys that are equal have the
 * same bytes.
 *
 * <p>Thread-safe.
 */
final class Serialization {
    private final ClassLoader loader;
    private final @Nullable ObjectInputFilter filter;
    private final Set<String> written = ConcurrentHashMap.newKeySet();

    /**
     * @param loader of classes that are read
     * @param pattern a filter; null for that of the JVM alone
     */
    Serialization(ClassLoader loader, @Nullable String pattern) {
        this.loader = loader;
        ObjectInputFilter ofTheJvm = ObjectInputFilter.Config.getSerialFilter();
        this.filter =
                pattern == null
                        ? ofTheJvm
                        : ObjectInputFilter.merge(
                                ObjectInputFilter.Config.createFilter(pattern), ofTheJvm);
    }

    private AskedFilter asked() {
        return new AskedFilter(filter == null ? _ -> Status.UNDECIDED : filter);
    }

    /**
     * @throws CacheException if a part of the object is not serializable, or a filter rejects its
     *     class
     */
    byte[] write(Object value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Output(bytes)) {
            out.writeObject(value);
        } catch (IOException e) {
            throw new CacheException(
                    "what a cache stores by value must be Serializable, with all that it refers to,"
                            + " or have a codec: class="
                            + value.getClass().getName(),
                    e);
        }
        return bytes.toByteArray();
    }

    /**
     * @throws CacheException if a class is not there, or a filter rejects one
     */
    Object read(byte[] bytes) {
        try (Input in = new Input(new ByteArrayInputStream(bytes))) {
            return in.readValue();
        } catch (IOException | ClassNotFoundException e) {
            throw new CacheException("an object could not be deserialized: " + e.getMessage(), e);
        }
    }

    private final class Output extends ObjectOutputStream {
        private final AskedFilter asked = asked();
        private final Map<Object, Object> equal = new HashMap<>();

        Output(OutputStream out) throws IOException {
            super(out);
            boolean _ = enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object object) {
            if (object instanceof String || (object instanceof Number && isOfJavaLang(object))) {
                return equal.computeIfAbsent(object, same -> same);
            }
            return object;
        }

        private static boolean isOfJavaLang(Object number) {
            return number.getClass().getPackage() == Object.class.getPackage();
        }

        @Override
        protected void annotateClass(Class<?> type) {
            asked.checkWritten(type);
            allow(type);
        }

        @Override
        protected void annotateProxyClass(Class<?> type) {
            asked.checkWrittenProxy(type);
            for (Class<?> each : type.getInterfaces()) {
                allow(each);
            }
        }

        private void allow(Class<?> type) {
            String name = type.getName();
            if (!written.contains(name)) {
                written.add(name);
            }
        }
    }

    private final class Input extends ObjectInputStream {
        private final AskedFilter asked = asked();

        Input(InputStream in) throws IOException {
            super(in);
            if (filter != null) {
                setObjectInputFilter(asked);
            }
        }

        Object readValue() throws IOException, ClassNotFoundException {
            try {
                return readObject();
            } catch (InvalidClassException e) {
                throw asked.named(e);
            }
        }

        /** Before the class is loaded; a class that an object resolves itself to needs no check. */
        private void check(String name) throws InvalidClassException {
            if (name.charAt(0) != '[' && !written.contains(name)) {
                throw new InvalidClassException(
                        name, "a class that is read must be one that the cache has written");
            }
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass described)
                throws IOException, ClassNotFoundException {
            check(described.getName());
            try {
                return Class.forName(described.getName(), false, loader);
            } catch (ClassNotFoundException _) {
                return super.resolveClass(described); // a primitive type, or a class of the JDK
            }
        }

        @Override
        @SuppressWarnings("deprecation") // what is in place of it makes an object
        protected Class<?> resolveProxyClass(String[] interfaces)
                throws IOException, ClassNotFoundException {
            Class<?>[] types = new Class<?>[interfaces.length];
            ClassLoader definer = loader;
            for (int i = 0; i < interfaces.length; i++) {
                check(interfaces[i]);
                types[i] = Class.forName(interfaces[i], false, loader);
                if (!Modifier.isPublic(types[i].getModifiers())) {
                    definer = types[i].getClassLoader(); // no other one may
                }
            }
            try {
                return Proxy.getProxyClass(definer, types);
            } catch (IllegalArgumentException notInterfaces) {
                throw new ClassNotFoundException("a proxy class must be possible", notInterfaces);
            }
        }
    }
}
