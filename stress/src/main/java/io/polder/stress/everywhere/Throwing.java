package io.polder.stress.everywhere;

import io.polder.stress.everywhere.Kind.Point;

import org.jspecify.annotations.Nullable;

/**
 * What instrumented code calls. Does nothing, unless the running thread is armed.
 *
 * <p>One thread of the process is armed at a time. {@link Instrumentation} writes the calls.
 */
public final class Throwing {
    private static volatile @Nullable Injection armed;

    /** The one that was armed last, until the next one is. */
    private static volatile @Nullable Injection last;

    private Throwing() {}

    /** Called first by each method. */
    public static void entry() {
        Injection now = armed;
        if (now != null) {
            now.at(Point.ENTRY);
        }
    }

    /** Called where something is allocated. */
    public static void allocation() {
        Injection now = armed;
        if (now != null) {
            now.at(Point.ALLOCATION);
        }
    }

    /** Called before each system call; returns whether that must fail. */
    public static boolean refuses() {
        Injection now = armed;
        return now != null && now.refuses();
    }

    /**
     * Arms the running thread.
     *
     * @param kind what is thrown
     * @param repeat how often
     * @param first from which point on, counted from 1
     */
    public static Injection arm(Kind kind, Repeat repeat, long first) {
        if (armed != null) {
            throw new IllegalStateException("one thread is armed at a time");
        }
        Injection injection = new Injection(Thread.currentThread(), kind, repeat, first);
        last = injection;
        armed = injection;
        return injection;
    }

    /** Arms another thread instead of the running one. It must not have begun yet, or wait. */
    public static void handOver(Thread thread) {
        Injection now = armed;
        if (now != null) {
            now.handOver(thread);
        }
    }

    /** Whether anything was thrown since a thread was armed last: then something may be lost. */
    public static boolean hasThrown() {
        Injection latest = last;
        return latest != null && latest.thrown() != null;
    }

    /** Nothing is thrown any more. */
    public static void disarm() {
        armed = null;
    }
}
