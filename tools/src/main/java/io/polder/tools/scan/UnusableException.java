package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/** A PATH of the command line holds nothing that can be scanned. The message is for the user. */
final class UnusableException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    UnusableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
