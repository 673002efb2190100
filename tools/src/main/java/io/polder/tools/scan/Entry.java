package io.polder.tools.scan;

import java.io.IOException;

/** A class file in an artifact, not read yet. */
interface Entry {
    /** Longer than any class file of a compiler. Guessed. */
    int BYTES_MAX = 64 << 20;

    /** The path within the artifact, with slashes. */
    String name();

    /**
     * Reads the file. May be called in any thread.
     *
     * @throws IOException if it cannot be read, or has more than {@value #BYTES_MAX} bytes
     */
    byte[] read() throws IOException;
}
