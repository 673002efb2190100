package io.polder.stress.rules;

import io.polder.BlockAllocator;
import io.polder.MemoryPool;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A pool never refuses blocks under a limit that a fresh pool with the same live memory would
 * grant, nor anything else because of blocks that are free.
 *
 * <p>Pools with random limits are filled with blocks of random sizes, arenas or pages, by this
 * thread and by others that live on, and all of it is freed, by this thread or by others. What the
 * used pool grants of a next load is compared with what one grants that was never used.
 */
public final class BlocksRule {
    private static final long MIB = 1 << 20;

    /** So many of one load at most: a round is to end. */
    private static final int MOST = 4_000;

    /**
     * Such a part less may be granted: what owners hold without having asked for it, a sixteenth of
     * the limit, and what loads round up.
     */
    private static final int SHARE = 12;

    private enum Kind {
        BLOCK,
        SEGMENT,
        ARENA,
        PAGE
    }

    private record Load(Kind kind, long bytes) {
        static Load random(Random random, Kind kind) {
            long least = 16L << random.nextInt(20);
            long bytes = least + random.nextLong(least);
            return new Load(kind, kind == Kind.PAGE ? Math.max(bytes, 2 * MIB) : bytes);
        }
    }

    /** A pool and what is in it. */
    private static final class Used implements AutoCloseable {
        final MemoryPool pool;
        final List<Long> blocks = new ArrayList<>();
        final List<Arena> arenas = new ArrayList<>();
        final List<Page> pages = new ArrayList<>();

        Used(long limit) {
            pool =
                    MemoryPool.builder()
                            .name("rule-of-blocks")
                            .committedMaxBytes(limit)
                            .decay(Duration.ofMillis(100))
                            .build();
        }

        int fill(Load load) {
            for (int i = 0; i < MOST; i++) {
                try {
                    take(load);
                } catch (OutOfMemoryError full) {
                    return i;
                }
            }
            return MOST;
        }

        private void take(Load load) {
            BlockAllocator allocator = pool.blocks();
            switch (load.kind) {
                case BLOCK -> blocks.add(allocator.allocateAddress(load.bytes));
                case SEGMENT -> blocks.add(allocator.allocateZeroed(load.bytes, 16).address());
                case PAGE -> pages.add(pool.pages().allocate(load.bytes));
                default -> {
                    arenas.add(pool.openShared());
                    arenas.getLast().allocate(load.bytes, 8);
                }
            }
        }

        void free() {
            blocks.forEach(pool.blocks()::freeAddress);
            arenas.forEach(Arena::close);
            pages.forEach(Page::close);
            blocks.clear();
            arenas.clear();
            pages.clear();
        }

        @Override
        public void close() {
            free();
            pool.close();
        }
    }

    private long rounds;
    private long shortfalls;

    /**
     * Searches for pools that refuse too early.
     *
     * @param random makes the pools and the loads
     * @param duration for how long
     * @throws AssertionError if one is found; says which
     */
    public void run(Random random, Duration duration) throws Exception {
        long end = System.nanoTime() + duration.toNanos();
        try (ExecutorService others = Executors.newFixedThreadPool(2)) {
            while (System.nanoTime() < end) {
                round(random, others);
                rounds++;
            }
        }
        System.out.println("blocks: rounds=" + rounds + ", of them a little short=" + shortfalls);
    }

    private void round(Random random, ExecutorService others) throws Exception {
        long limit = 4 * MIB * (1 + random.nextInt(32));
        List<Load> before = new ArrayList<>();
        Kind next = random.nextInt(4) == 0 ? Kind.PAGE : Kind.BLOCK;
        Load load = Load.random(random, next);
        try (Used used = new Used(limit);
                Used fresh = new Used(limit)) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                Kind[] kinds = Kind.values();
                Kind kind = kinds[i == 0 ? random.nextInt(2) : random.nextInt(kinds.length)];
                before.add(Load.random(random, kind));
                fill(used, before.getLast(), random.nextBoolean() ? others : null);
                free(used, random.nextBoolean() ? others : null);
            }
            int wanted = fresh.fill(load);
            int granted = used.fill(load);
            if (granted < wanted) {
                shortfalls++;
            }
            if (granted < wanted - wanted / SHARE - 1) {
                throw new AssertionError(
                        "what a fresh pool grants is granted: wanted="
                                + wanted
                                + ", granted="
                                + granted
                                + ", limit="
                                + limit
                                + ", before="
                                + before
                                + ", load="
                                + load
                                + "\n"
                                + used.pool.report()
                                + used.pool.map());
            }
        }
    }

    private static void fill(Used used, Load load, @Nullable ExecutorService others)
            throws InterruptedException, ExecutionException {
        if (others == null) {
            used.fill(load);
        } else {
            others.submit(() -> used.fill(load)).get();
        }
    }

    private static void free(Used used, @Nullable ExecutorService others)
            throws InterruptedException, ExecutionException {
        if (others == null) {
            used.free();
        } else {
            others.submit(used::free).get();
        }
    }
}
