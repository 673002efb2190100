package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * A folder of any file system: of the machine, of a jar, of the JDK's image. It is its class files,
 * together, and each jar, wherever below it they are. Links are followed, but not to folders that
 * they lie in.
 *
 * <p>Where there are class files for several {@linkplain Releases releases}, those count that would
 * be loaded, if a manifest says so. If none does, those for later releases count in a folder, which
 * may be no unpacked jar at all, and not in a jar.
 */
final class Folder extends SimpleFileVisitor<Path> {
    private static final Set<FileVisitOption> LINKS = EnumSet.of(FileVisitOption.FOLLOW_LINKS);
    private static final String CLASS = ".class";
    private static final String MANIFEST = JarFile.MANIFEST_NAME;

    private final String name;
    private final Path root;
    private final @Nullable Jar within;
    private final List<Entry> classes = new ArrayList<>();
    private final List<Inside> jars = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> multiRelease = new HashSet<>();
    private long classBytes;

    /** A jar in it. */
    private record Inside(Path file, long bytes) {}

    private Folder(String name, Path root, @Nullable Jar within) {
        this.name = name;
        this.root = root;
        this.within = within;
    }

    /**
     * Looks for what is in a folder.
     *
     * @param name of the artifact
     * @param within the jar whose root it is, if it is one's
     */
    static Folder of(String name, Path root, @Nullable Jar within) {
        Folder folder = new Folder(name, root, within);
        try {
            Set<FileVisitOption> options = within == null ? LINKS : Set.of();
            Files.walkFileTree(root, options, Integer.MAX_VALUE, folder);
        } catch (IOException e) {
            folder.failed(root, e);
        }
        folder.classes.sort(Comparator.comparing(Entry::name));
        folder.jars.sort(Comparator.comparing(Inside::file));
        return folder;
    }

    /** Adds what was left out of it before. */
    Folder without(List<Problem> left) {
        problems.addAll(left);
        return this;
    }

    /** How much there is in it, besides jars. */
    long classBytes() {
        return classBytes;
    }

    /** Shows its class files, and the jars in it. */
    void visit(Source.Visitor visitor, Span span) throws InterruptedException {
        List<Long> weights = new ArrayList<>(List.of(classBytes));
        jars.forEach(jar -> weights.add(Math.max(0, jar.bytes())));
        List<Span> spans = span.split(weights);
        if (within != null || !classes.isEmpty() || !problems.isEmpty()) {
            visitor.artifact(new Artifact(name, loaded(), problems), spans.getFirst());
        }
        for (int i = 0; i < jars.size(); i++) {
            Path jar = jars.get(i).file();
            if (within == null) {
                Jar.visit(jar.toString(), jar, visitor, spans.get(1 + i));
            } else {
                within.visitNested(pathOf(jar), jar, visitor, spans.get(1 + i));
            }
        }
    }

    private List<Entry> loaded() {
        return within != null && !multiRelease.contains("")
                ? Releases.unversioned(classes)
                : Releases.select(
                        classes,
                        Runtime.version().feature(),
                        where -> within != null || multiRelease.contains(where));
    }

    private String pathOf(Path file) {
        return root.relativize(file).toString().replace(root.getFileSystem().getSeparator(), "/");
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        if (attributes.isRegularFile()) {
            String path = pathOf(file);
            if (path.endsWith(CLASS)) {
                classes.add(new Entry(path, file));
                classBytes += Math.max(0, attributes.size());
            } else if (Jar.isNamedLikeOne(path)) {
                jars.add(new Inside(file, attributes.size()));
            } else if (path.equals(MANIFEST) || (within == null && path.endsWith("/" + MANIFEST))) {
                manifest(file, path);
            }
        }
        return FileVisitResult.CONTINUE;
    }

    private void manifest(Path file, String path) {
        try (InputStream in = Files.newInputStream(file)) {
            if (Releases.areDeclared(in)) {
                multiRelease.add(path.substring(0, path.length() - MANIFEST.length()));
            }
        } catch (IOException | IllegalArgumentException e) {
            String releases = within == null ? "all releases count: " : "no release counts: ";
            problems.add(
                    new Problem(
                            Problem.Kind.DAMAGED,
                            within == null ? file.toString() : path,
                            "the manifest cannot be read, so " + releases + e));
        }
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        failed(file, e);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
        if (e != null) {
            failed(directory, e);
        }
        return FileVisitResult.CONTINUE;
    }

    private void failed(Path file, IOException e) {
        problems.add(
                new Problem(Problem.Kind.UNREADABLE, file.toString(), "it cannot be read: " + e));
    }
}
