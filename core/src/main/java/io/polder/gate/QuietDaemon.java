package io.polder.gate;

/**
 * Makes daemon threads that inherit nothing and that nobody hears of when they die: not even an
 * {@link OutOfMemoryError}, which may come wherever the Java heap is full, is printed.
 */
final class QuietDaemon {
    private QuietDaemon() {}

    /** One that is not started. */
    static Thread of(String name, Runnable work) {
        Thread thread =
                Thread.ofPlatform()
                        .name(name)
                        .daemon()
                        .inheritInheritableThreadLocals(false)
                        .uncaughtExceptionHandler(QuietDaemon::ignore)
                        .unstarted(work);
        thread.setContextClassLoader(null);
        return thread;
    }

    private static void ignore(Thread thread, Throwable failure) {}
}
