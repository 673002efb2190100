package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds out what a PATH on the command line is. */
final class Sources {
    /** The image of the JDK that runs: all of it, or a module, {@code jrt:/java.base}. */
    private static final String IMAGE = "jrt:";

    private Sources() {}

    /**
     * The source that a PATH stands for.
     *
     * @throws UnusableException if there is no such thing, or nothing that holds class files
     */
    static Source of(String path) throws UnusableException {
        if (path.startsWith(IMAGE)) {
            return image(path);
        }
        Path file;
        try {
            file = Path.of(path);
        } catch (InvalidPathException e) {
            throw unusable(path, "this is no path", e);
        }
        if (path.isEmpty() || !Files.exists(file)) { // an empty one would be the folder of the user
            throw unusable(path, "there is no such file or folder", null);
        } else if (Files.isDirectory(file)) {
            return (visitor, span) -> Folder.of(path, file, null).visit(visitor, span);
        } else if (!Files.isRegularFile(file)) {
            throw unusable(path, "a PATH is a file, a folder, or jrt:", null);
        }
        byte[] head = head(path, file);
        if (ClassHeader.isOf(head)) {
            Entry entry = new Entry(String.valueOf(file.getFileName()), file);
            Artifact artifact = new Artifact(path, List.of(entry), List.of());
            return (visitor, span) -> visitor.artifact(artifact, span);
        } else if (Jar.isJar(head) || Jar.isNamedLikeOne(path)) {
            // One that executes itself begins with a script.
            return (visitor, span) -> Jar.visit(path, file, visitor, span);
        }
        throw unusable(path, "the file is neither a class file nor a jar", null);
    }

    private static byte[] head(String path, Path file) throws UnusableException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(ClassHeader.MAGIC_BYTES);
        } catch (IOException e) {
            throw unusable(path, "the file cannot be read: " + e, e);
        }
    }

    private static Source image(String path) throws UnusableException {
        List<Path> modules = modules(path);
        return (visitor, span) -> {
            List<Folder> folders =
                    modules.stream()
                            .map(
                                    module ->
                                            Folder.of(
                                                    IMAGE + "/" + module.getFileName(),
                                                    module,
                                                    null))
                            .toList();
            List<Span> spans = span.split(folders.stream().map(Folder::classBytes).toList());
            for (int i = 0; i < folders.size(); i++) {
                folders.get(i).visit(visitor, spans.get(i));
            }
        };
    }

    private static List<Path> modules(String path) throws UnusableException {
        String module = path.substring(IMAGE.length()).replaceFirst("^/+", "");
        try {
            Path all = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
            if (module.isEmpty()) {
                try (Stream<Path> modules = Files.list(all)) {
                    return modules.sorted().toList();
                }
            }
            Path one = all.resolve(module);
            if (module.contains("/") || !Files.isDirectory(one)) {
                throw unusable(
                        path, "the JDK that runs has no such module: java --list-modules", null);
            }
            return List.of(one);
        } catch (FileSystemNotFoundException e) {
            throw unusable(path, "this JVM has no image of its classes", e);
        } catch (IOException e) {
            throw unusable(path, "the image cannot be read: " + e, e);
        }
    }

    private static UnusableException unusable(String path, String rule, @Nullable Throwable cause) {
        return new UnusableException(Printable.of(path + ": " + rule), cause);
    }
}
