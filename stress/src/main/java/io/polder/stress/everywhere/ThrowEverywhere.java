package io.polder.stress.everywhere;

import io.polder.MemoryPool;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tries operations, and says what came of it.
 *
 * <p>Each operation is tried with each kind of throwable, thrown once, twice and until it has left,
 * at each point. Every such {@link Sweep} has a thread of its own, and is given up when one point
 * takes longer than {@link #PATIENCE}.
 */
public final class ThrowEverywhere {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int WARM_UPS = 3;

    /** Held here, since a level is forgotten with the logger. */
    private static final Logger LOGGER = Logger.getLogger("io.polder");

    private final Plan plan;
    private final boolean virtual;
    private long points;
    private int operations;
    private int failed;

    /** Tries operations in platform threads. */
    public ThrowEverywhere(Plan plan) {
        this(plan, false);
    }

    /**
     * Tries operations.
     *
     * @param plan what is tried of each
     * @param virtual whether they run in virtual threads
     */
    public ThrowEverywhere(Plan plan, boolean virtual) {
        this.plan = plan;
        this.virtual = virtual;
        LOGGER.setLevel(Level.OFF);
        initialise();
    }

    /** Initialises all classes of the library: a class whose initialiser fails stays dead. */
    private static void initialise() {
        try {
            Path core =
                    Path.of(
                            MemoryPool.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            for (Path file : InstrumentedCopy.classFiles(core)) {
                String path = core.relativize(file).toString();
                String name = path.substring(0, path.length() - ".class".length());
                if (!name.endsWith("package-info")) {
                    Class<?> _ = Class.forName(name.replace('/', '.'));
                }
            }
        } catch (IOException | URISyntaxException | ClassNotFoundException broken) {
            throw new LinkageError("the library must be a directory of classes", broken);
        }
    }

    /**
     * Tries one operation, and prints a line about it, and what went wrong.
     *
     * @param name what it is called
     * @param scenarios sets it up, again and again
     * @return whether nothing went wrong
     */
    public boolean check(String name, Supplier<? extends Scenario> scenarios) {
        if (!name.contains(plan.only())) {
            return true;
        }
        long start = System.nanoTime();
        operations++;
        StringBuilder line = new StringBuilder();
        List<Failure> failures = new ArrayList<>(warmUp(name, scenarios));
        for (Kind kind : failures.isEmpty() ? plan.kinds() : List.<Kind>of()) {
            line.append("  ").append(kind);
            for (Repeat repeat : plan.repeats()) {
                Sweep sweep = new Sweep(name, scenarios, kind, repeat, plan);
                run(sweep);
                line.append(' ').append(sweep.points());
                failures.addAll(sweep.failures());
                points += sweep.points();
            }
        }
        failed += failures.size();
        System.out.printf(
                "%-6s %-44s%s  %,d ms%n",
                failures.isEmpty() ? "ok" : failures.size() + "!",
                name,
                line,
                (System.nanoTime() - start) / 1_000_000);
        failures.stream()
                .limit(plan.shownMax())
                .forEach(failure -> System.out.println(failure.describe().indent(4)));
        return failures.isEmpty();
    }

    /** Does it a few times with nothing thrown: links what is linked at first use. */
    private List<Failure> warmUp(String name, Supplier<? extends Scenario> scenarios) {
        Plan beyond = Plan.ALL.at(Long.MAX_VALUE);
        for (int i = 0; i < WARM_UPS; i++) {
            Sweep sweep = new Sweep(name, scenarios, Kind.ERROR, Repeat.ONCE, beyond);
            run(sweep);
            if (!sweep.failures().isEmpty()) {
                return sweep.failures();
            }
        }
        return List.of();
    }

    private void run(Sweep sweep) {
        Thread thread =
                virtual
                        ? Thread.ofVirtual().name("armed").start(sweep)
                        : Thread.ofPlatform().name("armed").daemon().start(sweep);
        try {
            while (!thread.join(Duration.ofMillis(500))) {
                if (System.nanoTime() - sweep.began() > PATIENCE.toNanos()) {
                    sweep.abandon(thread.getStackTrace());
                    return;
                }
            }
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts this thread", never);
        }
    }

    /** At how many points something was thrown. */
    public long points() {
        return points;
    }

    /** How many operations were tried. */
    public int operations() {
        return operations;
    }

    /** After how many points something was wrong. */
    public int failed() {
        return failed;
    }

    /** Prints the sum; returns whether there was no failure. */
    public boolean report() {
        System.out.printf(
                "throw-everywhere: %,d points in %d operations, %,d failures%n",
                points, operations, failed);
        return failed == 0;
    }
}
