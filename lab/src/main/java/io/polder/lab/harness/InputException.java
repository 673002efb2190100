package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/**
 * A file that the command line names cannot be used. The message says which file, where in it, and
 * what was expected, to the user.
 */
public final class InputException extends ExperimentException {
    @Serial private static final long serialVersionUID = 1L;

    /** Creates the exception with a message for the user. */
    public InputException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
