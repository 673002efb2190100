package io.polder.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Small text files in which the kernel tells about itself. Absent, unreadable and unparsable files
 * are all the same here: the kernel does not say.
 */
final class ProcFile {

    private ProcFile() {}

    /** The root of the real file system; tests pass a folder of their own. */
    static Path root() {
        return Path.of("/");
    }

    static List<String> lines(Path file) {
        try {
            // Names of mapped files are any bytes at all; Latin-1 accepts them all.
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The number on the first line of a file. */
    static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? OptionalLong.empty() : parse(lines.getFirst().trim());
    }

    /** A non-negative decimal number, or empty for anything else. */
    static OptionalLong parse(String text) {
        try {
            long value = Long.parseLong(text);
            return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
