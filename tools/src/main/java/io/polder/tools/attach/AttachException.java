package io.polder.tools.attach;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/** A JVM cannot be looked into, or not at what was asked for. The message is for the user. */
public final class AttachException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    private final Problem problem;

    /** Why, and the exit code for it: one list for all commands that look into a JVM. */
    public enum Problem {
        /** What was seen cannot be shown. */
        FAILED(1),
        /** There is no process with that number. */
        NO_PROCESS(10),
        /** It is not a JVM. */
        NO_JVM(11),
        /** It is another user's, or the system lets nobody look, as at process 1 of a sandbox. */
        OTHER_USER(12),
        /** The JVM was told to let nobody attach, or to take no agent. */
        DISABLED(13),
        /** Its Java is too old. */
        TOO_OLD(14),
        /** The JVM, or an agent in it, refuses for another reason. */
        REFUSED(15),
        /** It was there and is no longer. */
        GONE(16),
        /** The JVM has no pool that can be seen. */
        NO_POOL(17),
        /** It does not answer in time. */
        SILENT(18);

        private final int exitCode;

        Problem(int exitCode) {
            this.exitCode = exitCode;
        }

        /** What the command ends with. */
        public int exitCode() {
            return exitCode;
        }
    }

    /** A problem without another exception behind it. */
    public AttachException(Problem problem, String message) {
        this(problem, message, null);
    }

    /** A problem, with what was thrown if anything was. */
    public AttachException(Problem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    /** What went wrong. */
    public Problem problem() {
        return problem;
    }
}
