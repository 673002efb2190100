package io.polder.lab.experiments.replay;

import io.polder.lab.harness.InputException;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The lines of one file, one after the other, with their numbers. A gzip file is known by its first
 * bytes, whatever its name. Not thread-safe.
 */
final class LogLines implements AutoCloseable {
    /** Longer than any line that HotSpot writes; a file with longer ones is something else. */
    private static final int LINE_MAX = 64 << 10;

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int GZIP_MAGIC = 0x1f8b;

    private final Path file;
    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final byte[] line = new byte[LINE_MAX];
    private int at;
    private int end;
    private long number;
    private boolean whole = true;

    LogLines(Path file) throws InputException {
        this.file = file;
        try {
            in = open(file);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try {
            raw.mark(2);
            int magic = raw.read() << 8 | raw.read();
            raw.reset();
            return magic == GZIP_MAGIC ? new GZIPInputStream(raw, BUFFER_BYTES) : raw;
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** The next line without its line end; null at the end of the file. */
    @Nullable String next() throws InputException {
        int length = 0;
        while (true) {
            if (at == end && !fill()) {
                if (length == 0) {
                    return null;
                }
                number++;
                whole = false;
                return text(length);
            }
            byte b = buffer[at++];
            if (b == '\n') {
                number++;
                return text(length);
            }
            if (length == LINE_MAX) {
                throw new InputException(
                        "%s, line %d: a line of a JVM's log has at most %d bytes"
                                .formatted(file, number + 1, LINE_MAX),
                        null);
            }
            line[length++] = b;
        }
    }

    private String text(int length) {
        int shown = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
        return new String(line, 0, shown, StandardCharsets.ISO_8859_1);
    }

    private boolean fill() throws InputException {
        try {
            end = Math.max(0, in.read(buffer));
        } catch (IOException e) {
            throw failure(e);
        }
        at = 0;
        return end > 0;
    }

    /** The number of the line that came last, from 1; 0 before the first. */
    long number() {
        return number;
    }

    /** Whether the line that came last has a line end; only a file's last line may have none. */
    boolean isWhole() {
        return whole;
    }

    private InputException failure(IOException e) {
        String what =
                switch (e) {
                    case EOFException _ -> "the gzip data is truncated; expected more of it";
                    case ZipException _ -> "the gzip data is damaged: " + e.getMessage();
                    default -> "the file cannot be read: " + e;
                };
        return new InputException("%s, line %d: %s".formatted(file, number + 1, what), e);
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            // It was only read: nothing is lost.
        }
    }
}
