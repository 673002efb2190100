package io.polder.tidy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The repository these tests stand in.
 *
 * <p>In a git checkout its files are those that git tracks or would track; in an unpacked source
 * archive, those that are not build output.
 */
final class Repository {

    private static final Path ROOT = findRoot();
    private static final Tree TREE = Tree.read(ROOT, files(ROOT));

    private Repository() {}

    static Path root() {
        return ROOT;
    }

    static Tree tree() {
        return TREE;
    }

    /** The first directory, from the working directory upwards, that holds the launcher. */
    private static Path findRoot() {
        Path start = Path.of("").toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("polder")) && Files.exists(at.resolve("pom.xml"))) {
                return at;
            }
        }
        throw new IllegalStateException("No repository above the working directory: " + start);
    }

    static Set<String> files(Path root) {
        return Files.exists(root.resolve(".git"))
                ? filesOfGit(root).orElseGet(() -> filesOnDisk(root))
                : filesOnDisk(root);
    }

    private static Optional<Set<String>> filesOfGit(Path root) {
        return git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
    }

    /**
     * The files that the last commit and who works here have changed; all files, if git cannot say.
     */
    static Set<String> changed(Path root) {
        Optional<Set<String>> edited = git(root, "diff", "--name-only", "-z", "HEAD~1");
        Optional<Set<String>> added = git(root, "ls-files", "-z", "--others", "--exclude-standard");
        if (edited.isEmpty() || added.isEmpty()) {
            return files(root);
        }
        Set<String> both = new TreeSet<>(edited.get());
        both.addAll(added.get());
        return both;
    }

    /** The files that a command of git lists. */
    private static Optional<Set<String>> git(Path root, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder git = new ProcessBuilder(command);
        git.redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = git.start();
            String output;
            try (InputStream out = process.getInputStream()) {
                output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            }
            if (process.waitFor() != 0) {
                return Optional.empty();
            }
            Set<String> files = new TreeSet<>();
            Pattern.compile("\0")
                    .splitAsStream(output)
                    .filter(path -> Files.isRegularFile(root.resolve(path)))
                    .forEach(files::add);
            return Optional.of(files);
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while git lists the files", e);
        }
    }

    private static Set<String> filesOnDisk(Path root) {
        Set<String> files = new TreeSet<>();
        Set<String> skipped = Set.of("target", ".git", ".idea");
        try {
            Files.walkFileTree(
                    root,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path directory, BasicFileAttributes attributes) {
                            return skipped.contains(directory.getFileName().toString())
                                            && !directory.equals(root)
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(
                                Path file, BasicFileAttributes attributes) {
                            if (attributes.isRegularFile()) {
                                files.add(root.relativize(file).toString().replace('\\', '/'));
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }
}
