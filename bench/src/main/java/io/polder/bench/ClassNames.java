package io.polder.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Class names of the running JDK: strings with the lengths that real strings have.
 *
 * <p>The names are those of {@code java.base}, read from the {@code jrt:} image and shuffled by a
 * seed.
 */
final class ClassNames {
    private static final Path JAVA_BASE =
            FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");

    private static final String SUFFIX = ".class";

    private ClassNames() {}

    /**
     * Reads names as {@link Class#getName()} writes them.
     *
     * @param count names asked for, at most as many as there are classes in {@code java.base}
     * @param seed decides which names, and in which order
     */
    static String[] sample(int count, long seed) {
        List<String> names = all();
        if (names.size() < count) {
            throw new IllegalArgumentException(
                    "java.base has fewer classes: count=" + count + ", classes=" + names.size());
        }
        Collections.shuffle(names, new Random(seed));
        return names.subList(0, count).toArray(String[]::new);
    }

    private static List<String> all() {
        try (Stream<Path> files = Files.walk(JAVA_BASE)) {
            return files.map(file -> JAVA_BASE.relativize(file).toString())
                    .filter(file -> file.endsWith(SUFFIX))
                    .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                    .map(name -> name.replace('/', '.'))
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
