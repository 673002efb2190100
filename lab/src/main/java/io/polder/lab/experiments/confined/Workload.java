package io.polder.lab.experiments.confined;

import io.polder.bench.ConfinedAllocation;
import io.polder.bench.EmptyArena;
import io.polder.bench.ForeignCalls;
import io.polder.bench.GrowingArena;
import io.polder.bench.JvmFlags;
import io.polder.bench.NestedArenas;
import io.polder.bench.SharedAllocation;
import io.polder.bench.ThreeAllocations;
import io.polder.bench.VirtualThreadAllocation;
import io.polder.tools.html.Term;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One thing programs do with arenas, as a benchmark method per contender.
 *
 * @param id part of its metrics' names
 * @param label what the table calls it
 * @param benchmark class that holds the methods
 * @param methodSuffix what follows the contender in a method's name
 * @param params parameters of the benchmark
 * @param contenders who has such a method, and is measured
 * @param jvmArgs what its JVM needs besides what all need
 * @param goal speed-up against the JDK to be reached, if there is one
 */
record Workload(
        String id,
        String label,
        Class<?> benchmark,
        String methodSuffix,
        Map<String, String> params,
        List<Contender> contenders,
        List<String> jvmArgs,
        OptionalDouble goal) {

    /** Its figure is a time, not a speed-up: there is nothing left to speed up. */
    private static final String EMPTY = "empty";

    /** Stands before the id of what is measured in a JVM that a {@link Mixture} was run in. */
    private static final String MIXED = "mixed.";

    /** Stands before the id of what is no confined arena. */
    private static final String SHARED = "shared.";

    private static final String SIZE = "size";

    /** Speed-up of what is larger than a slab. */
    private static final double LARGE_GOAL = 1.2;

    /** From here on an operation takes so long that the loop around it is hardly ever compiled. */
    private static final int LONG_SIZE = 256_000;

    /** From here on nothing is compiled for it in time, and nothing shows beside the memory. */
    private static final int HUGE_SIZE = 1_000_000;

    private static final List<Contender> AGAINST_JDK = List.of(Contender.POLDER, Contender.JDK);
    private static final List<Contender> AGAINST_MALLOC =
            List.of(Contender.POLDER, Contender.JDK, Contender.MALLOC);
    private static final List<Contender> AGAINST_ALL =
            List.of(Contender.POLDER, Contender.JDK, Contender.LWJGL, Contender.MALLOC);
    private static final List<Contender> AGAINST_NOTHING =
            List.of(Contender.POLDER, Contender.JDK, Contender.NONE);

    /** In a JVM that does nothing else, in the order of the table. */
    private static final List<Workload> FRESH =
            List.of(
                    allocation(5, 7),
                    allocation(20, 5),
                    allocation(100, 4),
                    allocation(500, 2.5),
                    sized("s1000", "1000 B", ConfinedAllocation.class, 1000, AGAINST_ALL),
                    allocation(2000, 2),
                    allocation(8000, 1.3),
                    large(17_000),
                    large(64_000),
                    large(LONG_SIZE),
                    large(HUGE_SIZE),
                    large(8_000_000),
                    whole("grow100k", "1000 x 100 B", GrowingArena.class, "", AGAINST_MALLOC)
                            .toReach(LARGE_GOAL),
                    three(5, 14),
                    three(20, 12),
                    whole("nested5", "5 nested x 4 longs", NestedArenas.class, "", AGAINST_MALLOC)
                            .toReach(6),
                    new Workload(
                            "virtual.s5",
                            "5 B, virtual thread",
                            VirtualThreadAllocation.class,
                            "",
                            Map.of(SIZE, "5"),
                            AGAINST_MALLOC,
                            List.of(JvmFlags.VIRTUAL_THREADS),
                            OptionalDouble.of(3.5)),
                    whole(EMPTY, "empty arena", EmptyArena.class, "", AGAINST_JDK),
                    whole("calls", "4 foreign calls", ForeignCalls.class, "Mix", AGAINST_NOTHING),
                    shared(100),
                    shared(20_000),
                    shared(HUGE_SIZE));

    /** What a benchmark does, with its size. */
    private static final Map<Class<?>, String> WORDS =
            Map.of(
                    ConfinedAllocation.class,
                    "An arena is opened, gives %d bytes at once, and is closed.",
                    GrowingArena.class,
                    "An arena is opened, grows to 100 KB in 1000 pieces, and is closed.",
                    ThreeAllocations.class,
                    "An arena is opened, gives %d bytes three times, and is closed.",
                    NestedArenas.class,
                    "Five arenas are opened inside each other, each gives four longs, and they are"
                            + " closed.",
                    VirtualThreadAllocation.class,
                    "An arena is opened, gives %d bytes and is closed, in a virtual thread.",
                    EmptyArena.class,
                    "An arena is opened and closed.",
                    ForeignCalls.class,
                    "Four foreign calls, each with an arena of its own: strlen of a class name,"
                            + " clock_gettime, qsort of five ints, getenv.",
                    SharedAllocation.class,
                    "A shared arena is opened, gives %d bytes at once, and is closed.");

    /** Ids of those that are measured in a mixed JVM as well. */
    private static final Set<String> ALSO_MIXED =
            Set.of("s5", "s20", "s100", "s500", "s2000", "3x5", "nested5");

    /** All workloads: those in a fresh JVM, then those in a mixed one. */
    static final List<Workload> ALL =
            Stream.concat(
                            FRESH.stream(),
                            FRESH.stream()
                                    .filter(workload -> ALSO_MIXED.contains(workload.id))
                                    .map(Workload::mixed))
                    .toList();

    /**
     * Finds a workload.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    static Workload withId(String id) {
        return ALL.stream()
                .filter(workload -> workload.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such workload: id=" + id));
    }

    /** Beginning of its metrics' names. */
    String metric() {
        return isShared() ? id : "confined." + id;
    }

    /** Whether its JVM has used everything before: see {@link Mixture}. */
    boolean isMixed() {
        return id.startsWith(MIXED);
    }

    /** Whether its arenas are shared between threads. */
    boolean isShared() {
        return id.startsWith(SHARED);
    }

    /** What it is called where both kinds of JVM are spoken of. */
    String longLabel() {
        return isMixed() ? label + ", mixed JVM" : label;
    }

    /** The label, and what is done, in words. */
    Term term() {
        return new Term(label, Objects.requireNonNull(WORDS.get(benchmark)).formatted(size()));
    }

    /** Whether an operation takes microseconds: what the loop around it costs does not show. */
    boolean isLong() {
        return isShared() || benchmark == GrowingArena.class || size() >= LONG_SIZE;
    }

    /** Whether an operation takes so long that what its code costs does not show either. */
    boolean isHuge() {
        return size() >= HUGE_SIZE;
    }

    /**
     * Patterns of the loops of all its contenders, which are to be compiled. Where an operation is
     * long the operation alone will do, and where it is huge that need not be, either.
     */
    List<String> measuredMethods() {
        return isHuge() ? List.of() : contenders.stream().map(this::measuredMethod).toList();
    }

    private String measuredMethod(Contender contender) {
        String type = Pattern.quote(benchmark.getSimpleName());
        String method = Pattern.quote(contender.methodPrefix() + methodSuffix);
        String loop = type + "_" + method + "_jmhTest\\." + method + "_avgt_jmhStub";
        return isLong() ? loop + "|" + type + "\\." + method : loop;
    }

    private int size() {
        return Integer.parseInt(params.getOrDefault(SIZE, "0"));
    }

    /** Full name of the benchmark method of a contender, as JMH calls it. */
    String method(Contender contender) {
        return benchmark.getName() + "." + contender.methodPrefix() + methodSuffix;
    }

    /** Whether the lab reports how much faster than the JDK it is. */
    boolean hasSpeedup() {
        return contenders.contains(Contender.JDK) && !isEmpty();
    }

    /** Whether nobody allocates from its arenas. */
    boolean isEmpty() {
        return id.equals(EMPTY);
    }

    /** Whether it is known what is left of it without arenas. */
    boolean hasNone() {
        return contenders.contains(Contender.NONE);
    }

    /** Whether LWJGL takes part. */
    boolean hasLwjgl() {
        return contenders.contains(Contender.LWJGL);
    }

    /**
     * Whether whatever it leaves on the Java heap comes from its arenas alone, and could be
     * nothing: the JDK's shared lifetime is an object.
     */
    boolean onlyAllocates() {
        return benchmark != ForeignCalls.class && !isShared();
    }

    private Workload mixed() {
        return new Workload(
                MIXED + id, label, benchmark, methodSuffix, params, contenders, jvmArgs, goal);
    }

    private Workload toReach(double speedup) {
        OptionalDouble reached = OptionalDouble.of(speedup);
        return new Workload(
                id, label, benchmark, methodSuffix, params, contenders, jvmArgs, reached);
    }

    private static Workload allocation(int size, double goal) {
        return sized("s" + size, size + " B", ConfinedAllocation.class, size, AGAINST_ALL)
                .toReach(goal);
    }

    /** An arena that goes beyond a thread's slab; LWJGL's stack ends somewhere there. */
    private static Workload large(int size) {
        return sized("s" + size, size + " B", ConfinedAllocation.class, size, AGAINST_MALLOC)
                .toReach(LARGE_GOAL);
    }

    private static Workload shared(int size) {
        String label = size + " B, shared";
        return sized(SHARED + "s" + size, label, SharedAllocation.class, size, AGAINST_MALLOC)
                .toReach(1);
    }

    private static Workload three(int size, double goal) {
        return sized("3x" + size, "3 x " + size + " B", ThreeAllocations.class, size, AGAINST_ALL)
                .toReach(goal);
    }

    /** A benchmark that allocates a size. */
    private static Workload sized(
            String id, String label, Class<?> benchmark, int size, List<Contender> contenders) {
        Map<String, String> params = Map.of(SIZE, Integer.toString(size));
        return new Workload(
                id, label, benchmark, "", params, contenders, List.of(), OptionalDouble.empty());
    }

    /** A benchmark without parameters. */
    private static Workload whole(
            String id,
            String label,
            Class<?> benchmark,
            String suffix,
            List<Contender> contenders) {
        return new Workload(
                id,
                label,
                benchmark,
                suffix,
                Map.of(),
                contenders,
                List.of(),
                OptionalDouble.empty());
    }
}
