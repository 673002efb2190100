package io.polder.lab.experiments.replay;

import java.io.Serial;

/** A line of a log is not as it must be. The message says what was expected, but not where. */
final class BrokenLogException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    BrokenLogException(String message) {
        super(message);
    }
}
