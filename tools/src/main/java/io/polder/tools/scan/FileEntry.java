package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A class file that is a file, also in the JDK's image. */
record FileEntry(String name, Path file) implements Entry {
    @Override
    public byte[] read() throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Limited.read(in, BYTES_MAX);
        }
    }
}
