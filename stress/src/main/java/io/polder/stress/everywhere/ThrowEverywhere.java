package io.polder.stress.everywhere;

import io.polder.MemoryPool;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    /** Far longer than a point takes: a machine may give a thread no turn for a while. */
    private static final Duration PATIENCE = Duration.ofSeconds(200);

    /** So many failures are named once more at the end. */
    private static final int AGAIN_MAX = 20;

    /** Enough for a canary. */
    private static final long FEW = 40;

    /** What became of the broken operation. */
    private enum Canary {
        NOT_TRIED(""),
        CAUGHT(", canary caught"),
        MISSED(", canary NOT caught");

        final String said;

        Canary(String said) {
            this.said = said;
        }
    }

    /** Held here, since a level is forgotten with the logger. */
    private static final Logger LOGGER = Logger.getLogger("io.polder");

    private final Plan plan;
    private boolean virtual;
    private Canary canary = Canary.NOT_TRIED;
    private final List<Failure> failed = new ArrayList<>();
    private long points;
    private int operations;

    /** Tries operations, in platform threads until {@link #useVirtualThreads} is called. */
    public ThrowEverywhere(Plan plan) {
        this.plan = plan;
        LOGGER.setLevel(Level.OFF);
        initialise();
    }

    /**
     * Uses the library, and then initialises all of its classes: one whose initialiser fails stays
     * dead, and some can be initialised only in the order in which programs do.
     */
    private static void initialise() {
        use();
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

    private static void use() {
        try (MemoryPool pool = MemoryPool.builder().clearAtClose(true).build();
                Arena arena = pool.openConfined()) {
            MemorySegment segment = pool.pages().allocate(1).segment(arena);
            segment.copyFrom(arena.allocate(1 << 16));
            MemorySegment _ = arena.allocate(1 << 20); // as much is cleared in another way
            long _ = pool.trim();
        }
    }

    /** From now on operations run in virtual threads, and say so in their names. */
    public void useVirtualThreads() {
        virtual = true;
    }

    /**
     * Tries one operation, and prints a line about it, and what went wrong.
     *
     * @param name what it is called
     * @param scenarios sets it up, again and again
     * @return whether nothing went wrong
     */
    public boolean check(String name, Supplier<? extends Scenario> scenarios) {
        return checkNamed(virtual ? "virtual." + name : name, scenarios);
    }

    private boolean checkNamed(String name, Supplier<? extends Scenario> scenarios) {
        if (!name.contains(plan.only())) {
            return true;
        }
        long start = System.nanoTime();
        operations++;
        StringBuilder line = new StringBuilder();
        List<Failure> failures = new ArrayList<>();
        Map<Kind, Long> counts = warmUp(name, scenarios, failures);
        for (Kind kind : failures.isEmpty() ? plan.kinds() : List.<Kind>of()) {
            line.append("  ").append(kind);
            for (Repeat repeat : plan.repeats()) {
                int seed = Objects.hash(name, kind.name(), repeat.name());
                Points tried = plan.points(counts.getOrDefault(kind, 0L), seed);
                Sweep sweep = new Sweep(name, scenarios, kind, repeat, tried);
                run(sweep);
                line.append(' ').append(sweep.points());
                failures.addAll(sweep.failures());
                points += sweep.points();
            }
        }
        failed.addAll(failures);
        System.out.printf(
                "%-6s %-44s%s  %,d ms%n",
                failures.isEmpty() ? "ok" : failures.size() + "!",
                name,
                line,
                (System.nanoTime() - start) / 1_000_000);
        failures.stream()
                .limit(plan.shown())
                .forEach(failure -> System.out.println(failure.describe().indent(4)));
        return failures.isEmpty();
    }

    /**
     * Tries an operation that is broken: each kind, however often thrown, must find that something
     * is wrong.
     */
    public void expectCaught(Supplier<? extends Scenario> scenarios) {
        String name = "canary";
        List<Failure> unexpected = new ArrayList<>();
        Map<Kind, Long> counts = warmUp(name, scenarios, unexpected);
        boolean caught = unexpected.isEmpty();
        for (Kind kind : Kind.values()) {
            for (Repeat repeat : Repeat.values()) {
                Points tried = Points.some(counts.getOrDefault(kind, 0L), FEW, 0);
                Sweep sweep = new Sweep(name, scenarios, kind, repeat, tried);
                run(sweep);
                if (sweep.failures().isEmpty()) {
                    System.out.printf("canary not caught: kind=%s, repeat=%s%n", kind, repeat);
                    caught = false;
                }
            }
        }
        canary = caught ? Canary.CAUGHT : Canary.MISSED;
    }

    /**
     * Does it a few times with nothing thrown: links what is linked at first use, and counts the
     * points.
     */
    private Map<Kind, Long> warmUp(
            String name, Supplier<? extends Scenario> scenarios, List<Failure> failures) {
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            Sweep sweep = new Sweep(name, scenarios, kind, Repeat.ONCE, Points.NONE);
            run(sweep);
            counts.put(kind, sweep.passed());
            failures.addAll(sweep.failures());
        }
        return counts;
    }

    private void run(Sweep sweep) {
        Thread thread =
                virtual
                        ? Thread.ofVirtual().name("armed").start(sweep)
                        : Thread.ofPlatform().name("armed").daemon().start(sweep);
        try {
            while (!thread.join(Duration.ofMillis(500))) {
                if (System.nanoTime() - sweep.began() > PATIENCE.toNanos()) {
                    sweep.abandon(thread);
                    return;
                }
            }
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts this thread", never);
        }
    }

    /**
     * Prints what went wrong once more, since of a long output often the end alone is kept, and
     * the sum; returns whether all is as it must be, and something was tried at all.
     */
    public boolean report() {
        failed.stream()
                .limit(AGAIN_MAX)
                .forEach(each -> System.out.println(each.asked() + ": " + each.wrong()));
        System.out.printf(
                "throw-everywhere: %,d points in %d operations, %,d failures%s%n",
                points, operations, failed.size(), canary.said);
        if (points == 0) {
            System.out.printf(
                    "throw-everywhere: nothing was tried: no operation has such a name, or none of"
                            + " them such points: only=%s%n",
                    plan.only());
        }
        return points > 0 && failed.isEmpty() && canary != Canary.MISSED;
    }
}
