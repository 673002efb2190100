package io.polder.lab.experiments.elasticity;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The class files of the running JDK, every module of it.
 *
 * <p>Not thread-safe: remembers the classes that it has read.
 */
final class JdkImage {
    private static final String CLASS_FILE = ".class";
    private static final String NOT_A_CLASS = "module-info.class";

    /** Names of modules come before names of classes in a path. */
    private static final int MODULE_NAMES = 1;

    private final Map<String, Path> paths;
    private final List<String> names;
    private final Map<String, ClassModel> read = new HashMap<>();

    private JdkImage(Map<String, Path> paths) {
        this.paths = paths;
        this.names = paths.keySet().stream().sorted().toList();
    }

    /**
     * Opens the image of the running JDK.
     *
     * @throws IOException if it cannot be read, or this JVM does not run from an image
     */
    static JdkImage open() throws IOException {
        Path modules;
        try {
            modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        } catch (FileSystemNotFoundException e) {
            throw new IOException("this JVM has no image of its classes", e);
        }
        Map<String, Path> paths = new HashMap<>();
        try (Stream<Path> files = Files.walk(modules)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName() == null ? "" : file.getFileName().toString();
                if (name.endsWith(CLASS_FILE) && !name.equals(NOT_A_CLASS)) {
                    paths.put(internalName(modules.relativize(file)), file);
                }
            }
        }
        return new JdkImage(paths);
    }

    private static String internalName(Path moduleAndClass) {
        String path =
                moduleAndClass.subpath(MODULE_NAMES, moduleAndClass.getNameCount()).toString();
        return path.substring(0, path.length() - CLASS_FILE.length());
    }

    /** How many classes there are. */
    int size() {
        return names.size();
    }

    /**
     * Draws so many classes, each as likely as any other, some perhaps twice.
     *
     * @return internal names; the same for the same generator and JDK
     */
    List<String> draw(int count, RandomGenerator random) {
        List<String> drawn = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            drawn.add(names.get(random.nextInt(names.size())));
        }
        return drawn;
    }

    /**
     * Reads a class.
     *
     * @param name internal, as in {@code java/lang/String}
     * @throws IllegalArgumentException if there is no such class in the image
     */
    ClassModel named(String name) {
        return read.computeIfAbsent(name, this::parse);
    }

    /**
     * The class file of a class.
     *
     * @throws IllegalArgumentException if there is no such class in the image
     */
    byte[] bytes(String name) {
        Path path = paths.get(name);
        if (path == null) {
            throw new IllegalArgumentException("no such class in the JDK's image: name=" + name);
        }
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new IllegalArgumentException("a class must be readable: name=" + name, e);
        }
    }

    private ClassModel parse(String name) {
        return ClassFile.of().parse(bytes(name));
    }
}
