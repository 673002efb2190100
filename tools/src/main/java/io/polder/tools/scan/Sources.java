package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** Finds out what a PATH on the command line is. */
final class Sources {
    private static final int HEAD_BYTES = 4;

    private Sources() {}

    /**
     * The source that a PATH stands for.
     *
     * @throws UnusableException if there is no such thing, or nothing that holds class files
     */
    static Source of(String path) throws UnusableException {
        if (path.startsWith(ImageSource.SCHEME)) {
            return ImageSource.of(path);
        }
        Path file;
        try {
            file = Path.of(path);
        } catch (InvalidPathException e) {
            throw unusable(path, "this is no path", e);
        }
        if (Files.isDirectory(file)) {
            return new FolderSource(path, file);
        } else if (!Files.exists(file)) {
            throw unusable(path, "there is no such file or folder", null);
        } else if (!Files.isRegularFile(file)) {
            throw unusable(path, "a PATH is a file, a folder, or jrt:", null);
        }
        byte[] head = head(path, file);
        if (ClassBytes.isClassFile(head)) {
            return new ClassFileSource(path, file);
        } else if (Jar.isJar(head) || Jar.isNamedLikeOne(path)) {
            // One that executes itself begins with a script.
            return new JarSource(path, file);
        }
        throw unusable(path, "the file is neither a class file nor a jar", null);
    }

    private static byte[] head(String path, Path file) throws UnusableException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(HEAD_BYTES);
        } catch (IOException e) {
            throw unusable(path, "the file cannot be read: " + e, e);
        }
    }

    static UnusableException unusable(String path, String rule, @Nullable Throwable cause) {
        return new UnusableException(Printable.of(path + ": " + rule), cause);
    }

    private record ClassFileSource(String name, Path file) implements Source {
        @Override
        public void visit(Visitor visitor, Span span) throws InterruptedException {
            Entry entry = new FileEntry(String.valueOf(file.getFileName()), file);
            visitor.artifact(new Artifact(name, List.of(entry), List.of()), span);
        }
    }

    private record JarSource(String name, Path file) implements Source {
        @Override
        public void visit(Visitor visitor, Span span) throws InterruptedException {
            Jar.visit(name, file, visitor, span);
        }
    }
}
