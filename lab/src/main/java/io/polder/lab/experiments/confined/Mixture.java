package io.polder.lab.experiments.confined;

import io.polder.FreeingArena;
import io.polder.LeakDetection;
import io.polder.MemoryPool;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What programs do with arenas, all of it, so that a JVM in which it was run has seen everything.
 *
 * <p>HotSpot compiles a method by what the whole program has done with it. In a JVM that only ever
 * opened small arenas, what larger ones need is never compiled, and an arena need not be an object.
 * No program that uses a library everywhere is like that.
 *
 * <p>Habits take turns, in an order drawn anew in each pass, so that none is compiled without the
 * others. The pools stay open, as those of a program do.
 */
final class Mixture {
    /** How often the habits take turns. A guess: often enough to be compiled in between. */
    private static final int PASSES = 50;

    private static final int SEED = 1;

    /** As many kinds of confined arenas share what ends in exceptions, which take microseconds. */
    private static final int EXCEPTIONS = 5;

    /**
     * What the agent leaves in place of a call of {@code Arena.ofConfined()}: a constant handle of
     * the library's method. The agent itself would pool the JDK's arenas, which are measured, too.
     */
    private static final MethodHandle AGENT = agent();

    private final MemoryPool own = MemoryPool.builder().name("mixture").build();
    private final MemoryPool watched =
            MemoryPool.builder().name("watched").leaks(LeakDetection.SAMPLED).build();
    private final List<Habit> habits = new ArrayList<>();
    private final List<ArenaHabits> kinds = new ArrayList<>();

    /**
     * Something that programs do.
     *
     * @param name of it
     * @param share of the times that habits are done in all: one of so many
     * @param what does it once
     */
    record Habit(String name, int share, Action what) {}

    /** What a habit does; {@code times} is how often anything was done before. */
    @FunctionalInterface
    interface Action {
        /** Does it once. */
        void run(int times) throws InterruptedException;
    }

    /** Creates a mixture of everything. */
    Mixture() {
        confined("common", MemoryPool::ofConfined);
        confined("own", own::openConfined);
        confined("watched", watched::openConfined);
        confined("agent", Mixture::openAsAgent);
        confined("jdk", Arena::ofConfined);
        shared("shared", MemoryPool::ofShared);
        shared("jdk shared", Arena::ofShared);
        shared("deferred", own::openSharedDeferred);
        habits.add(new Habit("freeing", 1, this::free));
        habits.add(new Habit("automatic", 50, _ -> Arena.ofAuto().allocate(100)));
    }

    /**
     * Does all of it.
     *
     * @param times each of the common habits is done
     * @return how often each was done, by name
     */
    Map<String, Integer> run(int times) throws InterruptedException {
        Map<String, Integer> done = new LinkedHashMap<>();
        List<Habit> order = new ArrayList<>(habits);
        Random random = new Random(SEED);
        for (int pass = 0; pass < PASSES; pass++) {
            Collections.shuffle(order, random);
            for (Habit habit : order) {
                // Rare ones are done in the first passes, so that each is done at least once.
                int total = Math.max(1, times / habit.share());
                int count = total / PASSES + (pass < total % PASSES ? 1 : 0);
                for (int i = 0; i < count; i++) {
                    habit.what().run(done.merge(habit.name(), 1, Integer::sum));
                }
            }
        }
        kinds.forEach(ArenaHabits::release);
        return done;
    }

    private void confined(String name, ArenaHabits.Source source) {
        ArenaHabits all = new ArenaHabits(source);
        kinds.add(all);
        add(name + ", small", 1, all::small);
        add(name + ", medium", 10, all::medium);
        add(name + ", 1 MB", 500, _ -> all.one(1_000_000));
        add(name + ", 8 MB", 5000, _ -> all.one(8_000_000));
        add(name + ", pieces", 1, all::pieces);
        add(name + ", growing", 50, all::growing);
        add(name + ", nested", 1, all::nested);
        add(name + ", values", 1, all::values);
        add(name + ", foreign call", 1, all::foreignCall);
        add(name + ", kept", 1, all::kept);
        add(name + ", cleanup", 1, all::cleanup);
        add(name + ", failing cleanup", EXCEPTIONS, all::failingCleanup);
        add(name + ", misuse", EXCEPTIONS, all::misuse);
        add(
                name + ", closed by another thread",
                EXCEPTIONS * ArenaHabits.HANDED_OVER,
                all::closedByAnother);
        add(name + ", virtual thread", ArenaHabits.IN_A_VIRTUAL_THREAD, _ -> inVirtualThread(all));
    }

    private void shared(String name, ArenaHabits.Source source) {
        ArenaHabits all = new ArenaHabits(source);
        kinds.add(all);
        add(name + ", small", 1, all::small);
        add(name + ", medium", 10, all::medium);
        add(name + ", 1 MB", 500, _ -> all.one(1_000_000));
        add(name + ", pieces", 10, all::pieces);
        add(name + ", cleanup", 10, all::cleanup);
    }

    private void add(String name, int share, Action what) {
        habits.add(new Habit(name, share, what));
    }

    private void free(int times) {
        try (FreeingArena arena = own.openFreeing()) {
            MemorySegment first = arena.allocate(ArenaHabits.smallSize(times));
            arena.free(first);
            MemorySegment second = arena.allocate(ArenaHabits.smallSize(times + 1));
            arena.allocate(100);
            arena.free(second);
        }
    }

    private static void inVirtualThread(ArenaHabits all) throws InterruptedException {
        Thread thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    for (int i = 0; i < ArenaHabits.IN_A_VIRTUAL_THREAD; i++) {
                                        all.small(i);
                                        all.nested(i);
                                    }
                                });
        thread.join();
    }

    private static Arena openAsAgent() {
        try {
            return (Arena) AGENT.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError("opening an arena throws nothing", e);
        }
    }

    private static MethodHandle agent() {
        try {
            return MethodHandles.lookup()
                    .findStatic(MemoryPool.class, "ofConfined", MethodType.methodType(Arena.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the library opens arenas", e);
        }
    }
}
