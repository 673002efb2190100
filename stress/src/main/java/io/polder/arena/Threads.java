package io.polder.arena;

import java.util.concurrent.locks.LockSupport;

/** Threads of which a test knows whether they have ended. */
final class Threads {
    /** A thread that is alive as long as the JVM. */
    static final Thread ALIVE = Thread.ofPlatform().daemon().start(Threads::parkForever);

    private Threads() {}

    private static void parkForever() {
        while (true) {
            LockSupport.park();
        }
    }

    /** Runs an action in a thread of its own, and waits until that has ended. */
    static void runToEnd(Runnable action) {
        Thread thread = new Thread(action);
        thread.start();
        awaitEnd(thread);
    }

    /** Waits until a thread that was started has ended. */
    static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts an actor", never);
        }
    }
}
