package io.polder.lab.pages;

import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import java.io.PrintStream;
import java.lang.foreign.ValueLayout;

/**
 * Main class of the JVM that measures what it costs to bring granules together, in each {@linkplain
 * AssemblyWay way} in turn: the calls, and then the first touch of each OS page, timed by itself.
 *
 * <p>The granules are touched before, so that they have memory and page tables where they lie
 * apart. What is in them is checked afterwards.
 *
 * <p>Arguments: how often. Output: a line of {@link Assemblies.Turn} for each.
 */
final class AssemblyJvm {
    private static final long OS_PAGE_BYTES = 4096;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Turns before the first that counts, so that the code is compiled. A guess. */
    private static final int WARMUP_TURNS = 40;

    private AssemblyJvm() {}

    /** See the class. */
    public static void main(String[] args) {
        PrintStream parent = System.out;
        System.setOut(System.err);
        int count = Integer.parseInt(args[0]);
        try (AssemblyWay remap = new AssemblyWay.Remap(Providers.choose().provider());
                AssemblyWay file = new AssemblyWay.UnmapAndMap()) {
            for (int i = 0; i < WARMUP_TURNS + count; i++) {
                long[] nanos = new long[Assemblies.Turn.NUMBERS];
                turn(remap, i, nanos, 0);
                turn(file, i, nanos, 2);
                if (i >= WARMUP_TURNS) {
                    parent.println(
                            new Assemblies.Turn(nanos[0], nanos[1], nanos[2], nanos[3]).line());
                }
            }
        }
        parent.flush();
    }

    private static void turn(AssemblyWay way, int mark, long[] nanos, int at) {
        for (int i = 0; i < AssemblyWay.GRANULES; i++) {
            touch(way.apart(i), AssemblyWay.GRANULE, mark);
            Zeroing.ADDRESS_SPACE.set(WORD, way.apart(i) + Long.BYTES, mark + i);
        }
        long start = System.nanoTime();
        way.assemble();
        long assembled = System.nanoTime();
        touch(way.together(), AssemblyWay.GRANULES * AssemblyWay.GRANULE, ~mark);
        nanos[at] = assembled - start;
        nanos[at + 1] = System.nanoTime() - assembled;
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
    }

    /** Writes the first word of each OS page. */
    private static void touch(long address, long bytes, long mark) {
        for (long at = 0; at < bytes; at += OS_PAGE_BYTES) {
            Zeroing.ADDRESS_SPACE.set(WORD, address + at, mark);
        }
    }
}
