package io.polder;

import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URL;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;

/**
 * Copies of the library where its class loader looks for classes, beside the one that is used. Of
 * each class the first one counts: so a class that only a later copy has comes from there, and two
 * versions are mixed.
 *
 * <p>Copies of other class loaders are not meant: each of those has all of its own.
 */
final class OtherCopies {
    private static final String CLASS_FILE = "io/polder/MemoryPool.class";

    private OtherCopies() {}

    /** Logs a warning that names them all, if there are any. May open every jar of a class path. */
    static void warn() {
        @Nullable ClassLoader loader = OtherCopies.class.getClassLoader();
        if (loader == null) {
            return;
        }
        try {
            List<String> copies = locations(loader);
            @Nullable ClassLoader parent = loader.getParent();
            if (parent != null) {
                copies.removeAll(locations(parent));
            }
            if (copies.size() > 1) {
                System.getLogger("io.polder")
                        .log(
                                Level.WARNING,
                                "a class path must have one copy of Polder, of each class the first"
                                        + " is used: first="
                                        + copies.getFirst()
                                        + ", others="
                                        + copies.subList(1, copies.size()));
            }
        } catch (IOException | RuntimeException unknown) {
            // Then nobody is told of them. Loaders of programs throw what they like.
        }
    }

    /**
     * The jars and folders, printable, in the order in which a class loader looks. No stream: where
     * the Java heap is full just then, the JDK could make no other one there ever after.
     */
    private static List<String> locations(ClassLoader loader) throws IOException {
        List<String> locations = new ArrayList<>();
        Enumeration<URL> files = loader.getResources(CLASS_FILE);
        while (files.hasMoreElements()) {
            String location = location(files.nextElement());
            if (!locations.contains(location)) {
                locations.add(location);
            }
        }
        return locations;
    }

    private static String location(URL classFile) {
        String url = classFile.toString();
        String location = url.substring(0, url.length() - CLASS_FILE.length());
        return Printable.of(
                location.startsWith("jar:") && location.endsWith("!/")
                        ? location.substring("jar:".length(), location.length() - 2)
                        : location);
    }
}
