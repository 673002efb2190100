package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/** A child JVM did not do its work. The message says why and ends with what it wrote to stderr. */
public final class ChildJvmException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    ChildJvmException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
