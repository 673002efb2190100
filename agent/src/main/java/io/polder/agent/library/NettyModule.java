package io.polder.agent.library;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Polder's classes for Netty, as they lie in the agent's jar, for one Netty: as a module in a layer
 * and a class loader of its own, because native access is given to modules.
 *
 * <pre>
 *                   +-- io.netty.** -----> loader of Netty, its parent; and anything else
 *   a Loader of it -+-- io.polder.** ----> loader of the library
 *                   +-- io.polder.netty.*  defined here, in module io.polder.netty
 * </pre>
 *
 * <p>Nobody refers to the module but its classes, and to those nobody but Netty.
 *
 * @param jar the agent's jar
 * @param jdk what enables native access
 * @param log told where this JDK does not let it be enabled
 */
record NettyModule(AgentJar jar, OpenedJdk jdk, Log log) {
    /** The class whose {@code DEFAULT} is wanted. */
    static final String ALLOCATOR = "io.polder.netty.PolderByteBufAllocator";

    /** What all allocators of Netty are. */
    static final String ALLOCATORS = "io.netty.buffer.ByteBufAllocator";

    /** A class of Netty's other module. */
    private static final String COMMON = "io.netty.util.ReferenceCounted";

    private static final String POOL = "io.polder.netty.DefaultPool";
    private static final String CHOICE = "io.polder.netty.NettysChoice";
    static final String NAME = "io.polder.netty"; // of the module and of its only package
    private static final String LIBRARY = "io.polder.";

    /** Where the agent's jar holds the classes. */
    private static final String PREFIX = "polder-netty/";

    /**
     * The class of the allocator, for one Netty.
     *
     * @param netty the loader of it
     * @param pool which its {@code DEFAULT} uses
     */
    Class<?> allocator(ClassLoader netty, Object pool)
            throws IOException, ReflectiveOperationException {
        ClassLoader library = pool.getClass().getClassLoader();
        Loader loader = new Loader(netty, library, jar.open());
        Configuration boot = ModuleLayer.boot().configuration();
        ModuleLayer.Controller controller =
                ModuleLayer.defineModules(
                        boot.resolve(new Finder(jar.open()), ModuleFinder.of(), Set.of(NAME)),
                        List.of(ModuleLayer.boot()),
                        _ -> loader);
        Module module = controller.layer().findModule(NAME).orElseThrow();
        controller.addReads(module, pool.getClass().getModule());
        controller.addReads(module, Class.forName(ALLOCATORS, false, netty).getModule());
        controller.addReads(module, Class.forName(COMMON, false, netty).getModule());
        controller.addOpens(module, NAME, NettyModule.class.getModule());
        Library.enableNativeAccess(controller, module, jdk, log);
        give(loader.loadClass(POOL), pool);
        return loader.loadClass(ALLOCATOR);
    }

    /**
     * Says what Netty had chosen, where heap buffers come from.
     *
     * @param allocator the class of Polder's allocator that Netty gets instead
     */
    static void giveChoice(Class<?> allocator, Object chosen) throws ReflectiveOperationException {
        give(Class.forName(CHOICE, true, allocator.getClassLoader()), chosen);
    }

    private static void give(Class<?> to, Object what) throws ReflectiveOperationException {
        for (Method method : to.getDeclaredMethods()) {
            if (method.getName().equals("give")) {
                method.setAccessible(true);
                method.invoke(null, what);
                return;
            }
        }
        throw new NoSuchMethodException(to.getName() + ".give");
    }

    /** The module, which has no descriptor in the jar. */
    private record Finder(JarFile jar) implements ModuleFinder {
        @Override
        public Optional<ModuleReference> find(String name) {
            return name.equals(NAME) ? Optional.of(reference()) : Optional.empty();
        }

        @Override
        public Set<ModuleReference> findAll() {
            return Set.of(reference());
        }

        private ModuleReference reference() {
            ModuleDescriptor descriptor =
                    ModuleDescriptor.newModule(NAME).requires("java.base").exports(NAME).build();
            return new ModuleReference(descriptor, null) {
                @Override
                public ModuleReader open() throws IOException {
                    throw new IOException("its loader reads it from " + jar.getName());
                }
            };
        }
    }

    /** Loads the module's classes. */
    private static final class Loader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final ClassLoader library;
        private final JarFile jar;

        Loader(ClassLoader netty, ClassLoader library, JarFile jar) {
            super("polder-netty", netty);
            this.library = library;
            this.jar = jar;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(LIBRARY)) {
                return super.loadClass(name, resolve);
            }
            if (!name.startsWith(NAME + '.')) {
                return library.loadClass(name);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            JarEntry entry = jar.getJarEntry(PREFIX + name.replace('.', '/') + ".class");
            if (entry == null) {
                throw new ClassNotFoundException(name);
            }
            try (InputStream in = jar.getInputStream(entry)) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
