package io.polder.arrow.pickup;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** The {@link VectorProgram} in a thread that has further jars, in a class loader below Arrow's. */
final class LoaderBelowProgram {
    private LoaderBelowProgram() {}

    /** The jars and folders. */
    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        URL[] urls = new URL[args.length];
        for (int i = 0; i < args.length; i++) {
            urls[i] = Path.of(args[i]).toUri().toURL();
        }
        try (URLClassLoader below =
                new URLClassLoader(urls, LoaderBelowProgram.class.getClassLoader())) {
            Class<?> ours = below.loadClass("io.polder.arrow.PolderAllocationManager");
            if (ours.getClassLoader() != below) {
                throw new AssertionError("to be found below only: " + ours.getClassLoader());
            }
            Thread.currentThread().setContextClassLoader(below);
            VectorProgram.main(new String[0]);
        }
    }
}
