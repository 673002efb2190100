package io.polder.tools.terminal;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** A file could not be written. The message names it, to the user. */
public final class UnwrittenException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /** What all commands end with then. */
    public static final int EXIT_CODE = 5;

    UnwrittenException(Path file, IOException cause) {
        super(Printable.of(file + " could not be written: " + reason(file, cause)), cause);
    }

    /** What the system says; of a file, Java says the name first. */
    private static String reason(Path file, IOException cause) {
        if (cause instanceof FileSystemException failed && failed.getReason() != null) {
            return failed.getReason();
        }
        String message = String.valueOf(cause.getMessage());
        return message.equals(file.toString())
                ? cause.getClass().getSimpleName()
                : message.replace(file + ": ", "");
    }
}
