package io.polder.bench;

import io.polder.MemoryPool;
import io.polder.PoolMap;
import io.polder.PoolStatistics;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A program, not a JMH benchmark: how much of root chunks do those hold that live on, counted by OS
 * pages, by granules, and by root chunks?
 *
 * <p>Arenas of 100 bytes to 300 KiB, as many small as large by orders of magnitude, until half a
 * gibibyte is used; then a share of them, at random, stays open and all free memory is given back.
 * By OS pages is what the pool has committed; by granules and by root chunks is what it would have
 * if memory came and went in those, read from the pool's map.
 *
 * <p>Run: {@code java -cp ... io.polder.bench.HeldRoots}, with the class path of {@code bench/run}.
 */
public final class HeldRoots {
    private static final long MIB = 1 << 20;
    private static final long USED_BYTES = 512 * MIB;
    private static final long LEAST_BYTES = 100;
    private static final double SPREAD = 3000;
    private static final long ROOT_BYTES = 4 * MIB;
    private static final long GRANULE_BYTES = 2 * MIB;

    private HeldRoots() {}

    /** Prints a line for each share that lives on, and for a pool with a single small arena. */
    public static void main(String[] arguments) {
        System.out.printf(
                Locale.ROOT,
                "%-22s %9s %9s %9s %9s%n",
                "MiB of",
                "used",
                "OS pages",
                "granules",
                "roots");
        for (double share : new double[] {1, 0.2, 0.05, 0.01}) {
            measure(String.format(Locale.ROOT, "%.0f %% live on", 100 * share), share);
        }
        try (MemoryPool pool = MemoryPool.builder().build();
                Arena arena = pool.openShared()) {
            arena.allocate(LEAST_BYTES);
            print("one arena of 100 bytes", LEAST_BYTES, pool);
        }
    }

    private static void measure(String name, double share) {
        SplittableRandom random = new SplittableRandom(42);
        try (MemoryPool pool = MemoryPool.builder().decay(Duration.ofDays(1)).build()) {
            List<Arena> arenas = new ArrayList<>();
            List<Long> sizes = new ArrayList<>();
            long used = 0;
            while (used < USED_BYTES) {
                Arena arena = pool.openShared();
                long bytes = (long) (LEAST_BYTES * Math.pow(SPREAD, random.nextDouble()));
                fill(arena, bytes);
                arenas.add(arena);
                sizes.add(bytes);
                used += bytes;
            }
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < arenas.size(); i++) {
                order.add(i);
            }
            Collections.shuffle(order, new Random(7));
            int living = (int) (share * arenas.size());
            for (int i : order.subList(living, order.size())) {
                arenas.get(i).close();
                used -= sizes.get(i);
            }
            pool.trim();
            print(name, used, pool);
            for (int i : order.subList(0, living)) {
                arenas.get(i).close();
            }
        }
    }

    /** A word at a time up to a few hundred bytes, as owners allocate. */
    private static void fill(Arena arena, long bytes) {
        for (long left = bytes; left > 0; left -= 400) {
            arena.allocate(Math.min(left, 400), 8);
        }
    }

    private static void print(String name, long usedBytes, MemoryPool pool) {
        PoolStatistics stats = pool.stats();
        long granules = 0;
        long roots = 0;
        PoolMap map = pool.map();
        for (PoolMap.Area area : map.areas()) {
            if (area.part().equals("chunks")) {
                int held = heldGranules(area, map.kinds());
                granules += held;
                roots += held > 0 ? 1 : 0;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%-22s %9.2f %9.2f %9.2f %9.2f%n",
                name,
                usedBytes / (double) MIB,
                stats.committedBytes() / (double) MIB,
                granules * GRANULE_BYTES / (double) MIB,
                roots * ROOT_BYTES / (double) MIB);
    }

    /** In how many halves of a root chunk something is in use. */
    private static int heldGranules(PoolMap.Area root, List<PoolMap.Piece> kinds) {
        boolean[] held = new boolean[2];
        long at = 0;
        for (int kind : root.pieces()) {
            PoolMap.Piece piece = kinds.get(kind);
            if (piece.usedBytes() > 0) {
                held[(int) (at / GRANULE_BYTES)] = true;
                held[(int) ((at + piece.bytes() - 1) / GRANULE_BYTES)] = true;
            }
            at += piece.bytes();
        }
        return (held[0] ? 1 : 0) + (held[1] ? 1 : 0);
    }
}
