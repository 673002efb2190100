package io.polder.cache.jcache;

/**
 * What the log has of failures that nobody else is told of. A logger that throws, as some do where
 * the Java heap is full, fails nothing.
 */
final class Warnings {
    private Warnings() {}

    static void log(String message, Throwable thrown) {
        try {
            System.getLogger("io.polder.cache.jcache")
                    .log(System.Logger.Level.WARNING, message, thrown);
        } catch (Throwable _) {
            // It is lost.
        }
    }
}
