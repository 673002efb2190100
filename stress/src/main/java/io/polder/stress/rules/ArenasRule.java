package io.polder.stress.rules;

import io.polder.MemoryPool;
import io.polder.page.Page;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A pool never refuses arenas or pages under a limit that a fresh pool with the same live memory
 * would grant.
 *
 * <p>Pools with random limits, of memory or of addresses, are used for something at random, by this
 * thread and by others that live on, until they refuse. Then all but a few arenas are closed, and a
 * pool that was never used gets the like of those that are left. What the used pool grants of a
 * next load is compared with what the fresh one does.
 */
public final class ArenasRule {
    private static final long MIB = 1 << 20;

    /** So many of one load at most: a round is to end. */
    private static final int MOST = 4_000;

    /**
     * Such a part less may be granted: what arenas hold without having asked for it, a sixteenth of
     * the limit, and what they round up.
     */
    private static final int SHARE = 8;

    /** A page may lie in a reservation that was made for a larger one, whose rest is no use. */
    private static final int SHARE_OF_ADDRESSES = 2;

    /** What one arena that was left may bar beyond its own: the root chunk in which it lives. */
    private static final long BARRED_BYTES = 4 * MIB;

    private enum Kind {
        CONFINED,
        SHARED,
        DEFERRED,
        PAGE
    }

    private record Load(Kind kind, long bytes, int pieces) {
        static Load random(Random random) {
            Kind[] kinds = Kind.values();
            Kind kind = kinds[random.nextInt(kinds.length)];
            boolean page = kind == Kind.PAGE;
            long least = page ? (2 * MIB) << random.nextInt(4) : 16L << random.nextInt(18);
            int pieces = page ? 1 : 1 + random.nextInt(6);
            return new Load(kind, least + random.nextLong(least), pieces);
        }
    }

    /** A pool and what lives in it. */
    private static final class Used implements AutoCloseable {
        final MemoryPool pool;
        final List<Arena> arenas = new ArrayList<>();
        final List<Page> pages = new ArrayList<>();

        Used(long limit, boolean addresses) {
            MemoryPool.Builder builder =
                    MemoryPool.builder().name("rule-of-arenas").decay(Duration.ofMillis(100));
            pool =
                    (addresses ? builder.reservedMaxBytes(limit) : builder.committedMaxBytes(limit))
                            .build();
        }

        int fill(Load load, int most) {
            for (int i = 0; i < most; i++) {
                try {
                    take(load);
                } catch (OutOfMemoryError full) {
                    return i;
                }
            }
            return most;
        }

        private void take(Load load) {
            if (load.kind == Kind.PAGE) {
                pages.add(pool.pages().allocate(load.bytes));
                return;
            }
            Arena arena =
                    switch (load.kind) {
                        case CONFINED -> pool.openConfined();
                        case DEFERRED -> pool.openSharedDeferred();
                        default -> pool.openShared();
                    };
            arenas.add(arena);
            for (int piece = 0; piece < load.pieces; piece++) {
                arena.allocate(1 + load.bytes / load.pieces, 8)
                        .set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            }
        }

        /** Closes all but the last ones. */
        void leave(int left) {
            while (arenas.size() > left) {
                arenas.removeFirst().close();
            }
            pages.forEach(Page::close);
            pages.clear();
        }

        @Override
        public void close() {
            leave(0);
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
        System.out.println("arenas: rounds=" + rounds + ", of them a little short=" + shortfalls);
    }

    private void round(Random random, ExecutorService others) throws Exception {
        long limit = 4 * MIB * (1 + random.nextInt(32));
        boolean addresses = random.nextInt(3) == 0;
        Load before = Load.random(random);
        Load load = Load.random(random);
        int left = before.kind == Kind.PAGE || load.kind == Kind.PAGE ? 0 : random.nextInt(3);
        try (Used used = new Used(limit, addresses);
                Used fresh = new Used(limit, addresses)) {
            for (int i = random.nextInt(3); i > 0; i--) {
                used.fill(Load.random(random), MOST);
                used.leave(0);
                useElsewhere(used.pool, others);
            }
            used.fill(before, MOST);
            used.leave(left);
            int lives = used.arenas.size();
            int _ = fresh.fill(before, lives);
            int wanted = fresh.fill(load, MOST);
            int granted = used.fill(load, MOST);
            long barred = lives * BARRED_BYTES / Math.max(1, load.bytes);
            if (granted < wanted) {
                shortfalls++;
            }
            int share = addresses && load.kind == Kind.PAGE ? SHARE_OF_ADDRESSES : SHARE;
            if (granted < wanted - wanted / share - 1 - barred) {
                throw new AssertionError(
                        "what a fresh pool grants is granted: wanted="
                                + wanted
                                + ", granted="
                                + granted
                                + ", limit="
                                + limit
                                + ", addresses="
                                + addresses
                                + ", before="
                                + before
                                + ", left="
                                + lives
                                + ", load="
                                + load
                                + "\n"
                                + used.pool.report()
                                + used.pool.map());
            }
        }
    }

    /** Threads that live on open arenas, and keep slabs at hand. */
    private static void useElsewhere(MemoryPool pool, ExecutorService others)
            throws InterruptedException, ExecutionException {
        for (int i = 0; i < 2; i++) {
            others.submit(
                            () -> {
                                try (Arena outer = pool.openConfined();
                                        Arena inner = pool.openConfined()) {
                                    outer.allocate(100);
                                    inner.allocate(10_000);
                                }
                            })
                    .get();
        }
    }
}
