package io.polder.agent;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Where the agent writes: standard error, or a file. Never standard output, which is the program's.
 *
 * @param file its name; empty for standard error. {@code %p} stands for the process id
 */
record Output(String file) {
    /** Standard error. */
    static final Output STDERR = new Output("");

    private static final String PREFIX = "polder-agent: ";

    /** Writes a line to standard error, whatever the program made of {@link System#err}. */
    static void say(String line) {
        toStandardError(PREFIX + line + System.lineSeparator());
    }

    private static void toStandardError(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            // Not closed: the descriptor belongs to the process.
            new FileOutputStream(FileDescriptor.err).write(bytes);
        } catch (IOException e) {
            // Nobody listens.
        }
    }

    boolean isStandardError() {
        return file.isEmpty();
    }

    /** The file, for this process. */
    Path path() {
        return Path.of(file.replace("%p", Long.toString(ProcessHandle.current().pid())))
                .toAbsolutePath();
    }

    /** Writes the whole text; a file is there with all of it or not at all. Says it if it fails. */
    void write(String text) {
        if (isStandardError()) {
            toStandardError(text);
            return;
        }
        Path path = path();
        Path part = path.resolveSibling(path.getFileName() + ".part");
        try {
            Files.writeString(part, text);
            Files.move(part, path, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            say(path + " cannot be written: " + e);
        }
    }
}
