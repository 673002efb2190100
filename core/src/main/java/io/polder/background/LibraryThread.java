package io.polder.background;

/**
 * Makes the threads of the library. They may outlive the code that needed them first, so they keep
 * nothing of that: no context class loader, no values that threads inherit, no thread group.
 *
 * <p>Thread-safe.
 */
public final class LibraryThread {
    /** The JVM's own, which every other group is below, and which lasts. */
    private static final ThreadGroup TOP = top();

    private LibraryThread() {}

    private static ThreadGroup top() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        for (ThreadGroup above = group; above != null; above = above.getParent()) {
            group = above;
        }
        return group;
    }

    /**
     * One that the end of the JVM does not wait for; not started.
     *
     * @param name what it is called
     * @param work what it does
     */
    public static Thread daemon(String name, Runnable work) {
        return thread(true, name, work);
    }

    /**
     * One that the JVM ends after; not started.
     *
     * @param name what it is called
     * @param work what it does, in bounded time
     */
    public static Thread awaited(String name, Runnable work) {
        return thread(false, name, work);
    }

    /**
     * Has another thread work, which the end of the JVM does not wait for, and waits for it.
     *
     * @param name what the thread is called
     * @param work what it does; may take for ever
     * @param millis how long to wait at most; less if the running thread is interrupted
     */
    public static void runFor(String name, Runnable work, long millis) {
        Thread thread = daemon(name, work);
        thread.start();
        try {
            thread.join(millis);
        } catch (InterruptedException enough) {
            // Then it works alone
        }
    }

    private static Thread thread(boolean daemon, String name, Runnable work) {
        Thread thread =
                Thread.ofPlatform()
                        .group(TOP)
                        .name(name)
                        .daemon(daemon)
                        .inheritInheritableThreadLocals(false)
                        .unstarted(work);
        thread.setContextClassLoader(null);
        return thread;
    }
}
