package io.polder.agent.library;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The two things an agent may do to the JDK and nobody else: define classes beside {@link Arena},
 * and enable native access for one module.
 *
 * <pre>
 *   java.base --opens java.lang, java.lang.foreign--&gt; the unnamed module of KeyLoader
 *                                                       holds Privileged, and nothing else
 * </pre>
 *
 * <p>Instrumentation may open packages to a module. Opened to the agent's own, which is that of the
 * class path, they would be open to the program as well.
 *
 * <p>Thread-safe.
 */
public final class OpenedJdk {
    private final Class<?> privileged;

    private OpenedJdk(Class<?> privileged) {
        this.privileged = privileged;
    }

    /**
     * Opens the packages.
     *
     * @param jar where the class lies that is let in
     * @throws IllegalStateException if the JVM refuses
     */
    public static OpenedJdk open(Instrumentation instrumentation, AgentJar jar) {
        Class<?> privileged = new KeyLoader().define(jar);
        Set<Module> key = Set.of(privileged.getModule());
        instrumentation.redefineModule(
                Object.class.getModule(),
                Set.of(),
                Map.of(),
                Map.of("java.lang", key, Arena.class.getPackageName(), key),
                Set.of(),
                Map.of());
        return new OpenedJdk(privileged);
    }

    /**
     * A class in the package of {@link Arena}, defined unless it is there: who asked before may
     * have been cut short after that.
     *
     * @param simpleName its name in the package
     */
    public Class<?> define(String simpleName, byte[] classFile)
            throws ReflectiveOperationException {
        try {
            return Class.forName(Arena.class.getPackageName() + "." + simpleName, false, null);
        } catch (ClassNotFoundException none) {
            return (Class<?>) call("define", byte[].class).invoke(null, (Object) classFile);
        }
    }

    /** Tells the bridge where its handles come from. */
    public void connect(Class<?> bridge, Function<String, MethodHandle> source)
            throws ReflectiveOperationException {
        call("connect", Class.class, Function.class).invoke(null, bridge, source);
    }

    /**
     * Enables native access for a module.
     *
     * @throws ReflectiveOperationException if this JDK does it in another way
     */
    public void enableNativeAccess(Module module) throws ReflectiveOperationException {
        try {
            call("enableNativeAccess", Module.class).invoke(null, module);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof ReflectiveOperationException cause ? cause : e;
        }
    }

    private Method call(String name, Class<?>... parameters) throws NoSuchMethodException {
        return privileged.getMethod(name, parameters);
    }

    /** Loads one class that its parent knows as well. */
    private static final class KeyLoader extends ClassLoader {
        KeyLoader() {
            super("polder-key", ClassLoader.getPlatformClassLoader());
        }

        Class<?> define(AgentJar jar) {
            String name = Privileged.class.getName();
            try {
                byte[] bytes = jar.classFile(name);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new IllegalStateException("the agent's jar must be readable: " + e, e);
            }
        }
    }
}
