package io.polder.lab.attach;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/** A JVM cannot be looked into. The message is for the user. */
final class AttachException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    private final Problem problem;

    /** Why, and the exit code for it. */
    enum Problem {
        NO_PROCESS(10),
        NO_JVM(11),
        OTHER_USER(12),
        DISABLED(13),
        TOO_OLD(14),
        REFUSED(15),
        GONE(16);

        private final int exitCode;

        Problem(int exitCode) {
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    AttachException(Problem problem, String message) {
        this(problem, message, null);
    }

    AttachException(Problem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    Problem problem() {
        return problem;
    }
}
