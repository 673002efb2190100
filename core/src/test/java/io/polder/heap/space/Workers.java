package io.polder.heap.space;

import io.polder.Await;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads with one work each. When one fails, the others are told to end, and {@link #close} says
 * why. Works that go on for ever ask {@link #goesOn}.
 */
final class Workers implements AutoCloseable {

    /** What one thread does. */
    interface Work {
        void run() throws Exception;
    }

    /** How long a virtual thread works until it lets others do so. */
    private static final long TURN_NANOS = 1_000_000;

    private final Thread.Builder builder;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean over;

    private Workers(Thread.Builder builder) {
        this.builder = builder;
    }

    static Workers platform() {
        return new Workers(Thread.ofPlatform().daemon());
    }

    static Workers virtual() {
        return new Workers(Thread.ofVirtual());
    }

    /** Has a thread do something. */
    Thread begin(Work work) {
        Thread thread = builder.start(() -> run(work));
        threads.add(thread);
        return thread;
    }

    /** Has a thread do something again and again, until the end. */
    Thread repeat(Work work) {
        return begin(
                () -> {
                    while (goesOn()) {
                        if (Thread.currentThread().isVirtual()) {
                            takeTurn(work);
                            LockSupport.parkNanos(1); // or others get no turn
                        } else {
                            work.run();
                        }
                    }
                });
    }

    /** Not once only: others may have long turns, and all of them one processor. */
    private void takeTurn(Work work) throws Exception {
        long begin = System.nanoTime();
        while (goesOn() && System.nanoTime() - begin < TURN_NANOS) {
            work.run();
        }
    }

    private void run(Work work) {
        try {
            work.run();
        } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
            over = true;
        }
    }

    /** Whether nobody has failed, and the end was not called. */
    boolean goesOn() {
        return !over;
    }

    /** Has all that repeat come to their end. */
    void end() {
        over = true;
    }

    /** Waits for all threads begun so far but the first so many, which go on for ever. */
    void joinAllBut(int endless) {
        for (Thread thread : threads.subList(endless, threads.size())) {
            Await.end(thread);
        }
    }

    /** Ends all threads; fails if one of them has. */
    @Override
    public void close() {
        end();
        joinAllBut(0);
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError("a worker failed", thrown);
        }
    }
}
