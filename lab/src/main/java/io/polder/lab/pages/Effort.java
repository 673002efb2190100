package io.polder.lab.pages;

import java.time.Duration;
import java.util.List;

/**
 * How large the heap is and how often it is measured.
 *
 * @param rounds fresh JVMs for each contender
 * @param program what runs on the heap
 * @param warmup time of the code before anything is measured
 * @param assemblies how often a run is assembled, in each way, by {@link AssemblyJvm}
 */
record Effort(int rounds, Program program, Duration warmup, int assemblies) {
    private static final long GIB = 1L << 30;
    private static final int FILLINGS = 10;

    /** Everything within 45 seconds. */
    static final Effort QUICK =
            new Effort(1, new Program(GIB, FILLINGS), Duration.ofSeconds(2), 60);

    /** The size of the published runs. */
    static final Effort FULL =
            new Effort(3, new Program(4 * GIB, FILLINGS), Duration.ofSeconds(4), 300);

    /** Everything runs, nothing is measured: for tests. */
    static final Effort SMOKE = new Effort(1, new Program(GIB / 2, 2), Duration.ZERO, 2);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmup.plusMinutes(5);
    }

    /** Arguments from which {@link #parse} makes the same effort. */
    List<String> toArgs() {
        return List.of(
                Integer.toString(rounds),
                Long.toString(program.budgetBytes()),
                Integer.toString(program.rounds()),
                Long.toString(warmup.toMillis()),
                Integer.toString(assemblies));
    }

    /** Reads what {@link #toArgs} wrote. */
    static Effort parse(List<String> args) {
        return new Effort(
                Integer.parseInt(args.get(0)),
                new Program(Long.parseLong(args.get(1)), Integer.parseInt(args.get(2))),
                Duration.ofMillis(Long.parseLong(args.get(3))),
                Integer.parseInt(args.get(4)));
    }
}
