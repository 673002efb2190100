package io.polder.stress.everywhere;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** Loads the instrumented copy of {@link Sample}, and has the JVM verify it. */
final class InstrumentedSample extends ClassLoader {
    private InstrumentedSample() {
        super(InstrumentedSample.class.getClassLoader());
    }

    /** Makes a sample, of a class of its own. */
    @SuppressWarnings("unchecked") // nothing else is made
    static Supplier<List<String>> create() throws ReflectiveOperationException {
        var constructor =
                new InstrumentedSample()
                        .loadClass(Sample.class.getName(), true)
                        .getDeclaredConstructor();
        constructor.setAccessible(true);
        return (Supplier<List<String>>) constructor.newInstance();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(Sample.class.getName())) {
            return super.loadClass(name, resolve);
        }
        Class<?> known = findLoadedClass(name);
        return known != null ? known : define(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
        try (InputStream in = Objects.requireNonNull(Sample.class.getResourceAsStream(file))) {
            byte[] instrumented = Instrumentation.of(in.readAllBytes());
            return defineClass(name, instrumented, 0, instrumented.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
