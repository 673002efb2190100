package io.polder.lab.experiments.pages;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.harness.Sampler;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import java.lang.foreign.ValueLayout;

/**
 * Main class of the JVM that measures what it costs to bring granules together, in each {@linkplain
 * AssemblyWay way} in turn: the calls, and then the first touch of each OS page, timed by itself.
 *
 * <p>The granules are touched before, so that they have memory and page tables where they lie
 * apart. What is in them is checked afterwards.
 *
 * <p>Samples: the times named here, in nanoseconds, of each turn.
 */
final class AssemblyJvm {
    /** The library's calls, and a word written in each OS page afterwards. */
    static final String REMAP = "remap";

    static final String REMAP_TOUCH = "remap_touch";

    /** Calls that unmap parts of a file and map them together, and both. */
    static final String MAP = "map";

    static final String MAP_TOUCH = "map_touch";
    static final String MAP_AND_TOUCH = "map_and_touch";

    private static final long OS_PAGE_BYTES = 4096;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Turns before the first that counts, so that the code is compiled. A guess. */
    private static final int WARMUP_TURNS = 40;

    private AssemblyJvm() {}

    /** What it is told: how often. */
    record Task(int turns) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, AssemblyJvm::run);
    }

    private static void run(Task task, Sampler sampler) {
        try (AssemblyWay remap = new AssemblyWay.Remap(Providers.choose().provider());
                AssemblyWay file = new AssemblyWay.UnmapAndMap()) {
            for (int i = 0; i < WARMUP_TURNS + task.turns(); i++) {
                Took remapped = turn(remap, i);
                Took mapped = turn(file, i);
                if (i >= WARMUP_TURNS) {
                    sampler.count(REMAP, remapped.nanos());
                    sampler.count(REMAP_TOUCH, remapped.touchNanos());
                    sampler.count(MAP, mapped.nanos());
                    sampler.count(MAP_TOUCH, mapped.touchNanos());
                    sampler.count(MAP_AND_TOUCH, mapped.nanos() + mapped.touchNanos());
                }
            }
        }
    }

    /** Unmap, map and first touch, for each remap, turn by turn. */
    static Quartiles ratio(Findings assemblies) {
        return assemblies.ratio(MAP_AND_TOUCH, REMAP);
    }

    private record Took(long nanos, long touchNanos) {}

    private static Took turn(AssemblyWay way, int mark) {
        for (int i = 0; i < AssemblyWay.GRANULES; i++) {
            touch(way.apart(i), AssemblyWay.GRANULE, mark);
            Zeroing.ADDRESS_SPACE.set(WORD, way.apart(i) + Long.BYTES, mark + i);
        }
        long start = System.nanoTime();
        way.assemble();
        long assembled = System.nanoTime();
        touch(way.together(), AssemblyWay.GRANULES * AssemblyWay.GRANULE, ~mark);
        long touched = System.nanoTime();
        for (int i = 0; i < AssemblyWay.GRANULES; i++) {
            long address = way.together() + i * AssemblyWay.GRANULE + Long.BYTES;
            long found = Zeroing.ADDRESS_SPACE.get(WORD, address);
            if (found != mark + i) {
                throw new AssertionError(
                        "a granule keeps what was written: granule="
                                + i
                                + ", written="
                                + (mark + i)
                                + ", found="
                                + found);
            }
        }
        way.scatter();
        return new Took(assembled - start, touched - assembled);
    }

    /** Writes the first word of each OS page. */
    private static void touch(long address, long bytes, long mark) {
        for (long at = 0; at < bytes; at += OS_PAGE_BYTES) {
            Zeroing.ADDRESS_SPACE.set(WORD, address + at, mark);
        }
    }
}
