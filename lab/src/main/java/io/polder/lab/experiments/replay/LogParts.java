package io.polder.lab.experiments.replay;

import io.polder.lab.harness.InputException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a log in the order in which they were written. A JVM that rotates its log {@code
 * x.log} renames what is full to {@code x.log.0}, {@code x.log.1} and so on; {@code x.log} is the
 * newest. Each may have been compressed to {@code .gz}.
 *
 * <p>Anyone who names {@code x.log} alone means all of it; one who names several parts may name
 * them in any order, as a shell's {@code x.log*} does. Different logs are read in the order given.
 */
final class LogParts {
    private static final Pattern NAME = Pattern.compile("(?<log>.*?)(\\.(?<part>\\d+))?(\\.gz)?");

    private LogParts() {}

    /** Which part of which log a file is; the newest part has no number and comes last. */
    private record Part(Path file, Path log, int number) {
        static Part of(Path file) {
            Path name = file.getFileName();
            Matcher matcher = NAME.matcher(name == null ? "" : name.toString());
            if (!matcher.matches()) {
                return new Part(file, file, Integer.MAX_VALUE);
            }
            String part = matcher.group("part");
            return new Part(
                    file,
                    file.resolveSibling(matcher.group("log")),
                    part == null || part.length() > 8 ? Integer.MAX_VALUE : Integer.parseInt(part));
        }

        boolean isNewest() {
            return number == Integer.MAX_VALUE;
        }
    }

    /**
     * The files to read.
     *
     * @throws InputException if one that was named is no file that can be read
     */
    static List<Path> of(List<Path> named) throws InputException {
        Map<Path, Set<Part>> logs = new LinkedHashMap<>();
        for (Path file : named) {
            check(file);
            Part part = Part.of(file);
            logs.computeIfAbsent(part.log(), _ -> new LinkedHashSet<>()).add(part);
        }
        List<Path> files = new ArrayList<>();
        for (Set<Part> parts : logs.values()) {
            List<Part> all = new ArrayList<>(parts);
            if (all.size() == 1 && all.getFirst().isNewest()) {
                all.addAll(olderThan(all.getFirst()));
            }
            all.sort(Comparator.comparingInt(Part::number));
            all.forEach(part -> files.add(part.file()));
        }
        return files;
    }

    private static void check(Path file) throws InputException {
        if (!Files.exists(file)) {
            throw new InputException(file + ": there is no such file", null);
        }
        // It is read twice, which a pipe does not allow.
        if (!Files.isRegularFile(file)) {
            throw new InputException(file + ": expected a plain file", null);
        }
        if (!Files.isReadable(file)) {
            throw new InputException(file + ": the file may not be read", null);
        }
    }

    private static List<Part> olderThan(Part newest) throws InputException {
        Path directory = newest.file().toAbsolutePath().getParent();
        if (directory == null) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> Part.of(newest.file().resolveSibling(file.getFileName())))
                    .filter(part -> part.log().equals(newest.log()) && !part.isNewest())
                    .filter(part -> Files.isRegularFile(part.file()))
                    .toList();
        } catch (IOException e) {
            throw new InputException(directory + ": the directory cannot be read: " + e, e);
        }
    }
}
