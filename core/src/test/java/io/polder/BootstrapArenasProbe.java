package io.polder;

import io.polder.memory.Providers;

import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A program for {@link ChildJvm}: begins, in one of several ways, and prints what comes of it. */
final class BootstrapArenasProbe {
    /** So many calls for each arena that a method is compiled before there is a pool. */
    private static final int CALLS = 100;

    /**
     * A thread that asks for the pool has it prepared, by a thread of its own: it reserves as much.
     */
    private static final long PREPARED_BYTES = 64L << 20;

    private BootstrapArenasProbe() {}

    public static void main(String[] args) {
        switch (args[0]) {
            case "one" -> {
                try (Arena arena = MemoryPool.ofConfined()) {
                    arena.allocate(100);
                }
            }
            case "many" -> openTo(BootstrapArenas.COUNT_MAX + 1);
            case "counted" -> count();
            case "which" -> which();
            case "kept" -> keep();
            case "unpublished" -> closeUnpublished();
            case "slow" -> slow();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void openTo(int count) {
        for (int i = 0; i < count; i++) {
            try (Arena arena = MemoryPool.ofConfined()) {
                arena.allocate(100);
            }
        }
    }

    /** What statistics say of arenas with 1100 bytes together, open and closed. */
    private static void count() {
        Arena confined = MemoryPool.ofConfined();
        Arena shared = MemoryPool.ofShared();
        confined.allocate(100);
        shared.allocate(600);
        shared.allocate(400, 64);
        MemoryPool pool = MemoryPool.common();
        print(pool.stats());
        confined.close();
        print(pool.stats());
        shared.close();
        print(pool.stats());
        System.out.println("trimmed=" + pool.trim());
        try (Arena pooled = MemoryPool.ofConfined()) {
            pooled.allocate(1);
            System.out.println("pooled=" + (pool.stats().usedBytes() >= 16384));
        }
    }

    private static void print(PoolStatistics stats) {
        System.out.printf(
                "reserved=%d committed=%d used=%d capacity=%d%n",
                stats.reservedBytes() % PREPARED_BYTES,
                stats.committedBytes(),
                stats.usedBytes(),
                stats.capacityBytes());
    }

    /** Takes all that can be taken, while a thread keeps slabs for the arenas that it opens. */
    private static void keep() {
        MemoryPool pool = MemoryPool.common();
        try (ExecutorService keeper = Executors.newSingleThreadExecutor()) {
            CompletableFuture.runAsync(() -> openTo(1), keeper).join();
            int _ = Objects.requireNonNull(pool.memory.arenas).drainAll();
            System.out.println("kept=" + (pool.stats().usedBytes() > 0));
        }
    }

    /** Closes a common pool that nobody has published yet, but who asks which pools are open. */
    private static void closeUnpublished() {
        BootstrapArenas before = BootstrapArenas.begin(false);
        try {
            CommonPool.create(Providers.choose(), CommonPool.defaults(), before).close();
            System.out.println("closed");
        } catch (UnsupportedOperationException refused) {
            System.out.println(refused.getMessage());
        }
    }

    /** Whether arenas are first ones, while they are opened one after the other. */
    private static void which() {
        int first = 0;
        while (MemoryPool.ofConfined() instanceof BootstrapArena) {
            first++;
        }
        System.out.println("first=" + first);
    }

    /** How much Java heap an arena takes when the first ones were opened in a compiled method. */
    private static void slow() {
        long sum = 0;
        for (int i = 0; i < CALLS * BootstrapArenas.COUNT_MAX; i++) {
            sum += sometimes(i);
        }
        if (sum == 1) { // no such sum
            throw new AssertionError();
        }
        System.out.println("bytes=" + RemovalProbe.bytes(RemovalProbe::one));
    }

    private static long sometimes(int number) {
        if (number % CALLS != 0) {
            return 2;
        }
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocate(100).address();
        }
    }
}
