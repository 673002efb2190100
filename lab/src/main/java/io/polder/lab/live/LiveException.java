package io.polder.lab.live;

/** Why a running JVM says nothing of its pools, in words for who asked. */
final class LiveException extends Exception {
    private static final long serialVersionUID = 1;

    /** What went wrong, each with an exit code of its own; as of {@code polder census}. */
    enum Reason {
        /** There is no process with that number. */
        NO_PROCESS(10),
        /** It is not a JVM. */
        NOT_A_JVM(11),
        /** The JVM is another user's. */
        OTHER_USER(12),
        /** The JVM was told to let nobody attach. */
        DISABLED(13),
        /** The JVM refuses for another reason. */
        REFUSED(15),
        /** The JVM, or the pool, was there and is no longer. */
        WENT_AWAY(16),
        /** The JVM has no pool that can be seen. */
        NO_POOL(17);

        private final int exitCode;

        Reason(int exitCode) {
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    private final Reason reason;

    LiveException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    LiveException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    Reason reason() {
        return reason;
    }
}
