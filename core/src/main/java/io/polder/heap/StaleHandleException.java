package io.polder.heap;

import java.io.Serial;

/**
 * A handle names no object: it was freed, or the handle is of another heap, or was made up. The
 * message says which, and with what numbers.
 */
public final class StaleHandleException extends IllegalStateException {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * An exception.
     *
     * @param message the rule, then the facts
     */
    public StaleHandleException(String message) {
        super(message);
    }
}
