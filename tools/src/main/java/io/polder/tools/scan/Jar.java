package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

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
 */
final class Jar {
    static final String CLASS = ".class";

    private static final List<String> SUFFIXES = List.of(".jar", ".war", ".ear", ".jmod");
    private static final String BETWEEN = "!/";

    /** Jars in jars in jars, beyond any that is made: a jar may contain itself. Guessed. */
    private static final int DEPTH_MAX = 4;

    /** Larger than any jar in a jar. Guessed. */
    private static final long NESTED_BYTES_MAX = 1L << 30;

    private final String name;
    private final ZipFile zip;
    private final int depth;
    private final List<Problem> problems = new ArrayList<>();

    private Jar(String name, ZipFile zip, int depth) {
        this.name = name;
        this.zip = zip;
        this.depth = depth;
    }

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
        try (ZipFile zip = new ZipFile(file.toFile())) {
            new Jar(name, zip, 0).visit(visitor, span);
        } catch (IOException e) {
            visitor.artifact(broken(name, e), span);
        }
    }

    private static Artifact broken(String name, IOException e) {
        return e instanceof ZipException
                ? Artifact.unusable(
                        name, Problem.Kind.DAMAGED, "it is no whole jar: " + e.getMessage())
                : Artifact.unusable(name, Problem.Kind.UNREADABLE, "it cannot be read: " + e);
    }

    private void visit(Source.Visitor visitor, Span span) throws InterruptedException {
        List<ZipEntry> files =
                zip.stream()
                        .map(ZipEntry.class::cast)
                        .filter(entry -> !entry.isDirectory())
                        .sorted(Comparator.comparing(ZipEntry::getName))
                        .toList();
        List<Entry> classes = new ArrayList<>();
        List<ZipEntry> nested = new ArrayList<>();
        long classBytes = 0;
        for (ZipEntry file : files) {
            if (file.getName().endsWith(CLASS)) {
                classes.add(new ZippedEntry(zip, file));
                classBytes += Math.max(0, file.getSize());
            } else if (isNamedLikeOne(file.getName())) {
                nested.add(file);
            }
        }
        List<Long> weights = new ArrayList<>(List.of(classBytes));
        nested.forEach(jar -> weights.add(Math.max(0, jar.getSize())));
        List<Span> spans = span.split(weights);
        List<Entry> loaded =
                isMultiRelease()
                        ? Releases.select(classes, Runtime.version().feature(), _ -> true)
                        : Releases.unversioned(classes);
        visitor.artifact(new Artifact(name, loaded, problems), spans.getFirst());
        for (int i = 0; i < nested.size(); i++) {
            visitNested(nested.get(i), visitor, spans.get(1 + i));
        }
    }

    private boolean isMultiRelease() {
        ZipEntry entry = zip.getEntry(JarFile.MANIFEST_NAME);
        if (entry == null) {
            return false;
        }
        try (InputStream in = zip.getInputStream(entry)) {
            return Releases.areDeclared(in);
        } catch (IOException | IllegalArgumentException e) {
            problems.add(
                    new Problem(
                            Problem.Kind.DAMAGED,
                            JarFile.MANIFEST_NAME,
                            "the manifest cannot be read, so no release counts: " + e));
            return false;
        }
    }

    private void visitNested(ZipEntry jar, Source.Visitor visitor, Span span)
            throws InterruptedException {
        String nestedName = name + BETWEEN + jar.getName();
        if (depth == DEPTH_MAX) {
            visitor.artifact(
                    Artifact.unusable(
                            nestedName,
                            Problem.Kind.UNREADABLE,
                            "jars lie at most " + DEPTH_MAX + " deep in each other"),
                    span);
            return;
        }
        try (ZipFile extracted = extract(jar)) {
            new Jar(nestedName, extracted, depth + 1).visit(visitor, span);
        } catch (IOException e) {
            visitor.artifact(broken(nestedName, e), span);
        }
    }

    /** Opens a jar in this one. Its temporary file is gone when it is closed, or the JVM ends. */
    private ZipFile extract(ZipEntry jar) throws IOException {
        Path file = Files.createTempFile("polder-scan", ".jar");
        try {
            try (InputStream in = zip.getInputStream(jar);
                    OutputStream out = Files.newOutputStream(file)) {
                Limited.copy(in, out, NESTED_BYTES_MAX);
            }
            return new ZipFile(file.toFile(), ZipFile.OPEN_READ | ZipFile.OPEN_DELETE);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private record ZippedEntry(ZipFile zip, ZipEntry entry) implements Entry {
        @Override
        public String name() {
            return entry.getName();
        }

        @Override
        public byte[] read() throws IOException {
            try (InputStream in = zip.getInputStream(entry)) {
                return Limited.read(in, BYTES_MAX);
            }
        }
    }
}
