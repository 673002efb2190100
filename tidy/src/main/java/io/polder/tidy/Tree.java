package io.polder.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A set of files: the repository, or a small one made up by a test. */
record Tree(Set<String> paths, List<SourceFile> texts) {

    /** A made-up tree of text files: path, text, path, text, ... */
    static Tree of(String... pathsAndTexts) {
        List<SourceFile> texts = new ArrayList<>();
        Set<String> paths = new TreeSet<>();
        for (int i = 0; i < pathsAndTexts.length; i += 2) {
            paths.add(pathsAndTexts[i]);
            texts.add(new SourceFile(pathsAndTexts[i], pathsAndTexts[i + 1]));
        }
        return new Tree(paths, texts);
    }

    /** The named files under {@code root}; a file with a zero byte is binary and has no text. */
    static Tree read(Path root, Set<String> paths) {
        List<SourceFile> texts = new ArrayList<>();
        for (String path : paths) {
            byte[] bytes;
            try {
                bytes = Files.readAllBytes(root.resolve(path));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (isText(bytes)) {
                texts.add(new SourceFile(path, new String(bytes, StandardCharsets.UTF_8)));
            }
        }
        return new Tree(paths, texts);
    }

    private static boolean isText(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code path} is a file or a directory of this tree. */
    boolean contains(String path) {
        if (path.isEmpty() || paths.contains(path)) {
            return true;
        }
        String prefix = path.endsWith("/") ? path : path + "/";
        return paths.stream().anyMatch(p -> p.startsWith(prefix));
    }

    Stream<SourceFile> java() {
        return texts.stream().filter(SourceFile::isJava);
    }

    Stream<SourceFile> markdown() {
        return texts.stream().filter(SourceFile::isMarkdown);
    }

    /** A violation for every line of {@code file} for which {@code bad} holds. */
    static List<Violation> lines(SourceFile file, Predicate<String> bad, String message) {
        return lines(file, file.lines(), bad, line -> message);
    }

    /** The same over {@code lines}, which stand in for the lines of the file one by one. */
    static List<Violation> lines(
            SourceFile file,
            List<String> lines,
            Predicate<String> bad,
            Function<String, String> message) {
        List<Violation> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (bad.test(lines.get(i))) {
                found.add(new Violation(file.path(), i + 1, message.apply(lines.get(i))));
            }
        }
        return found;
    }
}
