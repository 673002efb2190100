package io.polder.stress.everywhere;

/** What is thrown, and so at which points. */
public enum Kind {
    /** A {@link StackOverflowError} at the entry of a method. */
    STACK {
        @Override
        boolean counts(Point point) {
            return point == Point.ENTRY;
        }

        @Override
        Error thrown(String message) {
            return new StackOverflowError(message);
        }
    },

    /** An {@link OutOfMemoryError} where something is allocated on the Java heap. */
    HEAP {
        @Override
        boolean counts(Point point) {
            return point == Point.ALLOCATION;
        }

        @Override
        Error thrown(String message) {
            return new OutOfMemoryError(message);
        }
    },

    /**
     * An error that no code expects, at both: code that catches two kinds of errors must catch all.
     */
    ERROR {
        @Override
        boolean counts(Point point) {
            return point != Point.SYSTEM_CALL;
        }

        @Override
        Error thrown(String message) {
            return new Error(message);
        }
    },

    /** A system call that is refused; {@link FailingProvider} throws. */
    SYSTEM {
        @Override
        boolean counts(Point point) {
            return point == Point.SYSTEM_CALL;
        }

        @Override
        Error thrown(String message) {
            throw new AssertionError("a provider throws for itself: message=" + message);
        }
    };

    /** Where something may be thrown. */
    enum Point {
        ENTRY,
        ALLOCATION,
        SYSTEM_CALL
    }

    /** Whether a point is one of those at which it is thrown. */
    abstract boolean counts(Point point);

    /** What is thrown. */
    abstract Error thrown(String message);
}
