package io.polder.cache.jcache;

/**
 * What the log has of failures that nobody else is told of. A logger that throws, as some do where
 * the Java heap is full, fails nothing.
 */
final class Warnings {
    private Warnings() {}

    /** At the end of a stack another thread logs: a first use there breaks a logger for good. */
    static void log(String message, Throwable thrown) {
        try {
            if (thrown instanceof StackOverflowError
                    || thrown.getCause() instanceof StackOverflowError) {
                new Thread(() -> logNow(message, thrown), "polder-jcache-log").start();
            } else {
                logNow(message, thrown);
            }
        } catch (Throwable _) {
            // It is lost.
        }
    }

    private static void logNow(String message, Throwable thrown) {
        try {
            System.getLogger("io.polder.cache.jcache")
                    .log(System.Logger.Level.WARNING, message, thrown);
        } catch (Throwable _) {
            // It is lost.
        }
    }
}
