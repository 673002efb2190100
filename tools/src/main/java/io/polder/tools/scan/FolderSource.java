package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;

/**
 * A folder: its class files, together, and each jar, wherever below it they are. Links are
 * followed, but not to folders that they lie in. Where a jar was unpacked, of its class files for
 * several {@linkplain Releases releases} those count that would be loaded.
 */
final class FolderSource implements Source {
    private static final Set<FileVisitOption> LINKS = EnumSet.of(FileVisitOption.FOLLOW_LINKS);

    private static final String MANIFEST = JarFile.MANIFEST_NAME;

    private final String name;
    private final Path folder;

    FolderSource(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void visit(Visitor visitor, Span span) throws InterruptedException {
        Found found = new Found();
        try {
            Files.walkFileTree(folder, LINKS, Integer.MAX_VALUE, found);
        } catch (IOException e) {
            found.failed(folder, e);
        }
        found.jars.sort(null);
        List<Long> weights = new ArrayList<>(List.of(found.classBytes));
        found.jars.forEach(jar -> weights.add(jar.toFile().length()));
        List<Span> spans = span.split(weights);
        if (!found.classes.isEmpty() || !found.problems.isEmpty()) {
            found.classes.sort((a, b) -> a.name().compareTo(b.name()));
            List<Entry> loaded =
                    Releases.select(
                            found.classes,
                            Runtime.version().feature(),
                            found.multiRelease::contains);
            visitor.artifact(new Artifact(name, loaded, found.problems), spans.getFirst());
        }
        for (int i = 0; i < found.jars.size(); i++) {
            Path jar = found.jars.get(i);
            Jar.visit(jar.toString(), jar, visitor, spans.get(1 + i));
        }
    }

    /** What a walk through the folder finds. */
    private final class Found extends SimpleFileVisitor<Path> {
        private final List<Entry> classes = new ArrayList<>();
        private final List<Path> jars = new ArrayList<>();
        private final List<Problem> problems = new ArrayList<>();
        private final Set<String> multiRelease = new HashSet<>();
        private long classBytes;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                String path = folder.relativize(file).toString().replace(File.separatorChar, '/');
                if (path.endsWith(Jar.CLASS)) {
                    classes.add(new FileEntry(path, file));
                    classBytes += attributes.size();
                } else if (Jar.isNamedLikeOne(file.toString())) {
                    jars.add(file);
                } else if (path.equals(MANIFEST) || path.endsWith("/" + MANIFEST)) {
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
                problems.add(
                        new Problem(
                                Problem.Kind.DAMAGED,
                                file.toString(),
                                "the manifest cannot be read, so all releases count: " + e));
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
                    new Problem(
                            Problem.Kind.UNREADABLE, file.toString(), "it cannot be read: " + e));
        }
    }
}
