package io.polder.agent.library;

import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.function.Function;

/**
 * What takes private access to two packages of the JDK. They are opened to the module of this class
 * alone: {@link OpenedJdk} loads it by a loader of its own, so nothing of the program shares it.
 */
public final class Privileged {
    private Privileged() {}

    /** Defines a class in the package of {@link Arena}. */
    public static Class<?> define(byte[] classFile) throws IllegalAccessException {
        return MethodHandles.privateLookupIn(Arena.class, MethodHandles.lookup())
                .defineClass(classFile);
    }

    /** Sets the static field {@code source} of a class that {@link #define} made. */
    public static void connect(Class<?> bridge, Function<String, MethodHandle> source)
            throws ReflectiveOperationException {
        Field field = bridge.getDeclaredField("source");
        field.setAccessible(true);
        field.set(null, source);
    }

    /** Does what {@code --enable-native-access} does, for one module. */
    public static void enableNativeAccess(Module module) throws ReflectiveOperationException {
        Method grant = Module.class.getDeclaredMethod("implAddEnableNativeAccess");
        grant.setAccessible(true);
        grant.invoke(module);
    }
}
