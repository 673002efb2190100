package io.polder.lab.confined;

import io.polder.bench.ConfinedAllocation;
import io.polder.bench.EmptyArena;
import io.polder.bench.ForeignCalls;
import io.polder.bench.JvmFlags;
import io.polder.bench.NestedArenas;
import io.polder.bench.ThreeAllocations;
import io.polder.bench.VirtualThreadAllocation;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * One thing programs do with confined arenas, as a benchmark method per contender.
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
    static final String EMPTY = "empty";

    private static final List<Contender> AGAINST_JDK = List.of(Contender.POLDER, Contender.JDK);
    private static final List<Contender> AGAINST_LWJGL = List.of(Contender.POLDER, Contender.LWJGL);
    private static final List<Contender> AGAINST_BOTH =
            List.of(Contender.POLDER, Contender.JDK, Contender.LWJGL);

    /** All workloads, in the order of the table. */
    static final List<Workload> ALL =
            List.of(
                    allocation(5, AGAINST_BOTH, OptionalDouble.of(6)),
                    allocation(20, AGAINST_BOTH, OptionalDouble.of(5)),
                    allocation(100, AGAINST_BOTH, OptionalDouble.of(3)),
                    allocation(500, AGAINST_JDK, OptionalDouble.of(2)),
                    allocation(1000, AGAINST_LWJGL, OptionalDouble.empty()),
                    allocation(2000, AGAINST_JDK, OptionalDouble.of(1.5)),
                    allocation(8000, AGAINST_JDK, OptionalDouble.of(1)),
                    three(5, 14),
                    three(20, 13),
                    new Workload(
                            "nested5",
                            "5 nested x 4 longs",
                            NestedArenas.class,
                            "",
                            Map.of(),
                            AGAINST_JDK,
                            List.of(),
                            OptionalDouble.of(6)),
                    new Workload(
                            "virtual.s5",
                            "5 B, virtual thread",
                            VirtualThreadAllocation.class,
                            "",
                            Map.of("size", "5"),
                            AGAINST_JDK,
                            List.of(JvmFlags.VIRTUAL_THREADS),
                            OptionalDouble.of(2)),
                    new Workload(
                            EMPTY,
                            "empty arena",
                            EmptyArena.class,
                            "",
                            Map.of(),
                            AGAINST_JDK,
                            List.of(),
                            OptionalDouble.empty()),
                    new Workload(
                            "calls",
                            "4 foreign calls",
                            ForeignCalls.class,
                            "Mix",
                            Map.of(),
                            AGAINST_JDK,
                            List.of(),
                            OptionalDouble.of(1.5)));

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

    /** Full name of the benchmark method of a contender, as JMH calls it. */
    String method(Contender contender) {
        return benchmark.getName() + "." + contender.methodPrefix() + methodSuffix;
    }

    /** Whether the lab reports how much faster than the JDK it is. */
    boolean hasSpeedup() {
        return contenders.contains(Contender.JDK) && !id.equals(EMPTY);
    }

    /** Whether LWJGL takes part. */
    boolean hasLwjgl() {
        return contenders.contains(Contender.LWJGL);
    }

    /** Whether whatever it leaves on the Java heap comes from its arenas alone. */
    boolean onlyAllocates() {
        return benchmark != ForeignCalls.class;
    }

    private static Workload allocation(int size, List<Contender> contenders, OptionalDouble goal) {
        return new Workload(
                "s" + size,
                size + " B",
                ConfinedAllocation.class,
                "",
                Map.of("size", Integer.toString(size)),
                contenders,
                List.of(),
                goal);
    }

    private static Workload three(int size, double goal) {
        return new Workload(
                "3x" + size,
                "3 x " + size + " B",
                ThreeAllocations.class,
                "",
                Map.of("size", Integer.toString(size)),
                AGAINST_JDK,
                List.of(),
                OptionalDouble.of(goal));
    }
}
