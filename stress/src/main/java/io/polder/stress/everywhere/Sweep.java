package io.polder.stress.everywhere;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Throws one kind of throwable at {@link Points} of one operation, one after another, until the
 * operation ends before it comes to the point; and has what holds afterwards checked, each time.
 *
 * <p>Runs in a thread of its own. Another one may read {@link #began} and {@link #points}, and
 * {@linkplain #abandon abandons} it if it hangs.
 */
final class Sweep implements Runnable {
    private final String name;
    private final Supplier<? extends Scenario> scenarios;
    private final Kind kind;
    private final Repeat repeat;
    private final Points tried;
    private final List<Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private volatile long point;
    private volatile long passed;
    private final AtomicLong points = new AtomicLong();
    private volatile long began;
    private volatile boolean abandoned;

    Sweep(
            String name,
            Supplier<? extends Scenario> scenarios,
            Kind kind,
            Repeat repeat,
            Points tried) {
        this.name = name;
        this.scenarios = scenarios;
        this.kind = kind;
        this.repeat = repeat;
        this.tried = tried;
        this.began = System.nanoTime();
    }

    @Override
    public void run() {
        try {
            tryPoints();
        } catch (Throwable unexpected) {
            fail(null, unexpected); // so that no sweep ends without a word
        }
    }

    private void tryPoints() {
        long next = tried.first();
        while (!abandoned && tryPoint(next)) {
            next += tried.step();
            if (points.get() == tried.most()) {
                Require.that(tried.most() < Points.ALL_MAX, "every operation ends");
                return;
            }
        }
    }

    /** Throws at one point; returns whether the operation came to it. */
    private boolean tryPoint(long number) {
        point = number;
        began = System.nanoTime();
        Scenario scenario;
        try {
            scenario = scenarios.get();
        } catch (Throwable broken) {
            fail(null, new AssertionError("a set-up throws nothing", broken));
            return false;
        }
        Throwable out = null;
        Injection injection = Throwing.arm(kind, repeat, point);
        try {
            scenario.operate();
        } catch (Throwable thrown) {
            out = thrown;
        } finally {
            Throwing.disarm();
        }
        if (abandoned) {
            return false;
        }
        passed = injection.passed();
        Throwable injected = injection.thrown();
        boolean reached = injected != null;
        try {
            requireExpected(out, injected);
            scenario.check(out);
        } catch (Throwable wrong) {
            fail(injected, wrong);
            abandon(scenario);
        }
        if (reached) {
            points.incrementAndGet();
        }
        return reached;
    }

    /** Gives back what a broken scenario has, as far as that can be found out. */
    private static void abandon(Scenario scenario) {
        try {
            scenario.abandon();
        } catch (RuntimeException brokenToo) {
            return; // it was said what is wrong
        }
    }

    /** Errors of the library, as against consequences of what was injected. */
    private static void requireExpected(@Nullable Throwable out, @Nullable Throwable injected) {
        if (out == null) {
            return;
        }
        if (injected == null) {
            throw new AssertionError("nothing was injected, and something thrown", out);
        }
        boolean broken =
                out instanceof AssertionError
                        || out instanceof NullPointerException
                        || out instanceof IndexOutOfBoundsException
                        || out instanceof ClassCastException
                        || out instanceof IllegalMonitorStateException
                        || out instanceof LinkageError;
        if (broken
                && !comesFrom(out, injected, Collections.newSetFromMap(new IdentityHashMap<>()))) {
            throw new AssertionError("what comes out is what was injected", out);
        }
    }

    private static boolean comesFrom(
            @Nullable Throwable out, Throwable injected, Set<Throwable> seen) {
        if (out == null || !seen.add(out)) {
            return false;
        }
        boolean found = out == injected || comesFrom(out.getCause(), injected, seen);
        for (Throwable suppressed : out.getSuppressed()) {
            found = found || comesFrom(suppressed, injected, seen);
        }
        return found;
    }

    private void fail(@Nullable Throwable injected, Throwable wrong) {
        failures.add(new Failure(name, kind, repeat, point, injected, wrong));
    }

    /** Gives up a sweep whose thread hangs; says where, and what other threads do. */
    void abandon(Thread thread) {
        abandoned = true;
        Throwing.disarm();
        AssertionError hangs = new AssertionError("every operation ends, and every check");
        hangs.setStackTrace(thread.getStackTrace());
        Thread.getAllStackTraces()
                .forEach(
                        (other, stack) -> {
                            if (other != thread && isInLibrary(stack)) {
                                Throwable meanwhile = new Throwable("meanwhile: " + other);
                                meanwhile.setStackTrace(stack);
                                hangs.addSuppressed(meanwhile);
                            }
                        });
        fail(null, hangs);
    }

    private static boolean isInLibrary(StackTraceElement[] stack) {
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith("io.polder.")) {
                return true;
            }
        }
        return false;
    }

    /** When the last point began, by {@link System#nanoTime}. */
    long began() {
        return began;
    }

    /** How many points the operation came to, the last time. */
    long passed() {
        return passed;
    }

    /** At how many points something was thrown. */
    long points() {
        return points.get();
    }

    /** What went wrong so far. */
    List<Failure> failures() {
        return List.copyOf(failures);
    }
}
