package io.polder.agent;

import java.io.Serial;

/** Options of the agent that break a rule. The message is the rule, then the facts. */
final class OptionException extends IllegalArgumentException {
    @Serial private static final long serialVersionUID = 1L;

    private final String message;

    OptionException(String message) {
        super(message);
        this.message = message;
    }

    /** The message, in one line. */
    String message() {
        return message;
    }
}
