package io.polder.stress.everywhere;

import io.polder.stress.everywhere.Kind.Point;

import org.jspecify.annotations.Nullable;

/**
 * What is to be thrown, where, and whether it was. Counts the points that one thread comes to.
 *
 * <p>Used by that thread alone; a thread that hands it over or looks at it afterwards starts that
 * thread, or has joined it.
 */
public final class Injection {
    private volatile Thread thread;
    private final Kind kind;
    private final Repeat repeat;
    private final long first;
    private long passed;
    private @Nullable Throwable thrown;

    /**
     * Nothing thrown yet.
     *
     * @param thread the thread in which is thrown
     * @param kind what
     * @param repeat how often
     * @param first from which point on, counted from 1
     */
    Injection(Thread thread, Kind kind, Repeat repeat, long first) {
        this.thread = thread;
        this.kind = kind;
        this.repeat = repeat;
        this.first = first;
    }

    /** Something is thrown in another thread from now on. */
    void handOver(Thread other) {
        thread = other;
    }

    /** A point of instrumented code: throws if it is due. */
    void at(Point point) {
        if (due(point)) {
            Error error = kind.thrown("injected, point=" + passed);
            if (thrown == null) {
                thrown = error;
            }
            throw error;
        }
    }

    /** A system call: whether it must fail. */
    boolean refuses() {
        boolean refuses = due(Point.SYSTEM_CALL);
        if (refuses && thrown == null) {
            thrown = new Throwable("refused, call=" + passed);
        }
        return refuses;
    }

    private boolean due(Point point) {
        if (Thread.currentThread() != thread || !kind.counts(point)) {
            return false;
        }
        passed++;
        return repeat.includes(passed, first);
    }

    /** What was thrown first, with the stack; null if the operation ended before. */
    public @Nullable Throwable thrown() {
        return thrown;
    }

    /** How many points the thread came to. */
    public long passed() {
        return passed;
    }
}
