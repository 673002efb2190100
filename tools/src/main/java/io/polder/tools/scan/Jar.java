package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.List;
import java.util.Locale;
import java.util.zip.ZipException;

/**
 * A jar, or another zip that holds class files; and the jars in it, as executable jars and web
 * applications have them.
 *
 * <pre>{@code
 *   app.jar
 *    +- org/example/Main.class                  an artifact: app.jar
 *    +- BOOT-INF/lib/
 *        +- memory.jar                          another: app.jar!/BOOT-INF/lib/memory.jar
 *            +- org/example/Memory.class
 * }</pre>
 *
 * <p>A zip is read from its end, so a jar in a jar is copied to a temporary file first.
 *
 * @param depth how many jars it lies in
 */
record Jar(String name, int depth) {
    private static final List<String> SUFFIXES = List.of(".jar", ".war", ".ear", ".jmod");
    private static final String BETWEEN = "!/";

    /** Jars in jars in jars, beyond any that is made: a jar may contain itself. Guessed. */
    private static final int DEPTH_MAX = 4;

    /** Larger than any jar in a jar. Guessed. */
    private static final long NESTED_BYTES_MAX = 1L << 30;

    /** Whether a file begins like a jar, or like the archive of a module. */
    static boolean isJar(byte[] head) {
        return head.length >= 2
                && ((head[0] == 'P' && head[1] == 'K') || (head[0] == 'J' && head[1] == 'M'));
    }

    static boolean isNamedLikeOne(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return SUFFIXES.stream().anyMatch(lower::endsWith);
    }

    /** Shows a jar and the jars in it. */
    static void visit(String name, Path file, Source.Visitor visitor, Span span)
            throws InterruptedException {
        new Jar(name, 0).visit(file, visitor, span);
    }

    private void visit(Path file, Source.Visitor visitor, Span span) throws InterruptedException {
        try {
            try (FileSystem zip = FileSystems.newFileSystem(file)) {
                Folder.of(name, zip.getPath("/"), this).visit(visitor, span);
            } catch (ZipException e) {
                List<Problem> left = DottedNames.in(file);
                if (left.isEmpty()) {
                    throw e;
                }
                visitCopy(
                        out -> DottedNames.copyOthers(file, out, NESTED_BYTES_MAX),
                        copy -> visitOthers(copy, left, visitor, span));
            }
        } catch (ZipException | ProviderNotFoundException e) {
            visitor.artifact(
                    Artifact.unusable(
                            name, Problem.Kind.DAMAGED, "it is no whole jar: " + e.getMessage()),
                    span);
        } catch (IOException e) {
            visitor.artifact(unreadable(name, "it cannot be read: " + e), span);
        }
    }

    /** Shows the jar that is left of this one. */
    private void visitOthers(Path copy, List<Problem> left, Source.Visitor visitor, Span span)
            throws IOException, InterruptedException {
        try (FileSystem zip = FileSystems.newFileSystem(copy)) {
            Folder.of(name, zip.getPath("/"), this).without(left).visit(visitor, span);
        }
    }

    /** Shows a jar in this one, and the jars in that. */
    void visitNested(String path, Path jar, Source.Visitor visitor, Span span)
            throws InterruptedException {
        Jar nested = new Jar(name + BETWEEN + path, depth + 1);
        if (depth == DEPTH_MAX) {
            String why = "jars lie at most " + DEPTH_MAX + " deep in each other";
            visitor.artifact(unreadable(nested.name, why), span);
            return;
        }
        try {
            visitCopy(
                    out -> {
                        try (InputStream in = Files.newInputStream(jar)) {
                            long _ = Limited.copy(in, out, NESTED_BYTES_MAX);
                        }
                    },
                    copy -> nested.visit(copy, visitor, span));
        } catch (IOException e) {
            visitor.artifact(unreadable(nested.name, "it cannot be read: " + e), span);
        }
    }

    /** Writes a jar. */
    private interface Writing {
        void to(OutputStream out) throws IOException;
    }

    /** Shows a jar. */
    private interface Showing {
        void of(Path jar) throws IOException, InterruptedException;
    }

    /** Shows what is written to a file that exists meanwhile. */
    private static void visitCopy(Writing writing, Showing showing)
            throws IOException, InterruptedException {
        Path copy = Files.createTempFile("polder-scan", ".jar");
        copy.toFile().deleteOnExit(); // where it ends in the middle
        try {
            try (OutputStream out = Files.newOutputStream(copy)) {
                writing.to(out);
            }
            showing.of(copy);
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    private static Artifact unreadable(String name, String why) {
        return Artifact.unusable(name, Problem.Kind.UNREADABLE, why);
    }
}
