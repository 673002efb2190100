package io.polder.lab.experiments.pages;

import java.time.Duration;

/**
 * How large the heap is and how often it is measured, in a quick run and in a full one.
 *
 * @param rounds fresh JVMs for each contender
 * @param program what runs on the heap
 * @param warmup time of the code before anything is measured
 * @param assemblies how often a run is assembled, in each way, by {@link AssemblyJvm}
 */
record Scale(int rounds, Program program, Duration warmup, int assemblies) {
    private static final long GIB = 1L << 30;
    private static final int FILLINGS = 10;

    /** Everything within 45 seconds. */
    static final Scale QUICK = new Scale(1, new Program(GIB, FILLINGS), Duration.ofSeconds(2), 60);

    /** The size of the published runs. */
    static final Scale FULL =
            new Scale(3, new Program(4 * GIB, FILLINGS), Duration.ofSeconds(4), 300);

    /** Everything runs, nothing is measured: for tests. */
    static final Scale SMOKE = new Scale(1, new Program(GIB / 2, 2), Duration.ZERO, 2);

    /** Long enough for a machine that is busy with other things. */
    Duration timeout() {
        return warmup.plusMinutes(5);
    }
}
