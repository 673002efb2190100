package io.polder;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/** Threads of tests that wait for memory, and tell how that ended. */
final class Waiter {
    private Waiter() {}

    /** What runs in a thread of its own. */
    interface Body {
        void run() throws Exception;
    }

    /** Starts a thread; completed with it when it is done, or with what it threw. */
    static CompletableFuture<Thread> start(ThreadFactory threads, Body body) {
        CompletableFuture<Thread> ended = new CompletableFuture<>();
        Runnable all =
                () -> {
                    try {
                        body.run();
                        ended.complete(Thread.currentThread());
                    } catch (Throwable thrown) {
                        ended.completeExceptionally(thrown);
                    }
                };
        threads.newThread(all).start();
        return ended;
    }

    /** The kinds of threads there are. */
    static List<ThreadFactory> factories() {
        return List.of(Thread.ofPlatform().factory(), Thread.ofVirtual().factory());
    }
}
