package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A class file in an artifact, not read yet.
 *
 * @param name the path within the artifact, with slashes
 * @param file where it is, in any file system
 */
record Entry(String name, Path file) {
    /** Longer than any class file of a compiler. Guessed. */
    private static final int BYTES_MAX = 64 << 20;

    /**
     * Reads the file. May be called in any thread.
     *
     * @throws IOException if it cannot be read, or has more than {@value #BYTES_MAX} bytes
     */
    byte[] read() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Limited.read(in, BYTES_MAX);
        }
    }
}
