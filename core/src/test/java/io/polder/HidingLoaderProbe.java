package io.polder;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;

/**
 * A bundle of OSGi that has the library inside and imports nothing: its class loader shows the
 * packages {@code java.*} of the JDK and no others. Says when the copy is at rest.
 */
final class HidingLoaderProbe {
    private HidingLoaderProbe() {}

    /**
     * Runs it.
     *
     * @param args the classes; then what is hidden
     */
    public static void main(String[] args) throws Exception {
        URL[] classes = {Path.of(args[0]).toUri().toURL()};
        List<String> hidden = List.of(args).subList(1, args.length);
        ClassLoader loader = new Loader(classes, hidden);
        ClosedLoaderProbe.use(loader.loadClass("io.polder.MemoryPool"), false);
        Object telling = ClosedLoaderProbe.telling(loader.loadClass("io.polder.OpenPools"));
        Await.until("the task is at rest", () -> ClosedLoaderProbe.isAsleep(telling));
        System.out.println("at rest");
    }

    /** Hides classes and resources by the start of their names. */
    private static final class Loader extends URLClassLoader {
        private final List<String> hidden;

        Loader(URL[] classes, List<String> hidden) {
            super(classes, ClassLoader.getPlatformClassLoader());
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (hidden.stream().anyMatch(name::startsWith)) {
                throw new ClassNotFoundException("hidden: " + name);
            }
            return super.loadClass(name, resolve);
        }

        /** As a loader of Tomcat does once its application was stopped. */
        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            if (hidden.stream().anyMatch(name::startsWith)) {
                throw new IllegalStateException("hidden: " + name);
            }
            return super.getResources(name);
        }
    }
}
