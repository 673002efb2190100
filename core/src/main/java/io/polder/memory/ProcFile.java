package io.polder.memory;

import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Small text files in which the kernel tells about itself. Files that are absent, forbidden or
 * unparsable are all the same here: the kernel does not say. What cannot be read now, because
 * descriptors or memory have run out, is something else: {@link NotNow}.
 */
final class ProcFile {

    /** A file may say something, and could not be read this time. */
    static final class NotNow extends IOException {
        @Serial private static final long serialVersionUID = 1L;

        private NotNow(IOException cause) {
            super(cause);
        }
    }

    private static final long KIB = 1024;

    private ProcFile() {}

    /** The root of the real file system; tests pass a folder of their own. */
    static Path root() {
        return Path.of("/");
    }

    /** For who does not mind when a file cannot be read: as if it said nothing. */
    static List<String> linesIfReadable(Path file) {
        try {
            return lines(file);
        } catch (NotNow later) {
            return List.of();
        }
    }

    static List<String> lines(Path file) throws NotNow {
        try {
            // Names of mapped files are any bytes at all; Latin-1 accepts them all.
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException e) {
            return List.of();
        } catch (IOException e) {
            throw new NotNow(e);
        }
    }

    /** The number on the first line of a file. */
    static OptionalLong number(Path file) throws NotNow {
        List<String> lines = lines(file);
        return lines.isEmpty() ? OptionalLong.empty() : parse(lines.getFirst().trim());
    }

    /** The number of a line as {@code VmSize:  24684084 kB}, in bytes; negative if none says it. */
    static long bytes(List<String> lines, String key) {
        for (String line : lines) {
            if (line.startsWith(key)) {
                String number = line.substring(key.length()).replace("kB", "").trim();
                return KIB * Math.min(parse(number).orElse(-1), (1L << 47) / KIB);
            }
        }
        return -1;
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
