package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.SlabAudit;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A program for {@link ChildJvm}, in a small heap without thread-local buffers: fills the Java heap
 * but for a few bytes, uses arenas, empties the heap again and closes all. For every number of
 * bytes left there is one more object that can just be made.
 *
 * <p>All is done in one pool with a limit, over and over, so that what is lost each time adds up.
 * Argument: what is done, see {@link Use}.
 */
final class HeapExhaustedProbe {
    private static final long LIMIT = 64 << 20;

    private static final int TRIMS_MAX = 50;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** The smallest object. */
    private static final int CRUMB_BYTES = 16;

    private static final int ROUNDS = 90;

    private static final int LEFT_MAX = 20 * ROUNDS;

    /** What is done while the heap is full. */
    enum Use {
        FIRST {
            @Override
            void run(MemoryPool pool, List<Arena> open) {
                Arena arena = pool.openConfined();
                open.add(arena);
                arena.allocate(1000);
            }
        },
        GROW {
            @Override
            void run(MemoryPool pool, List<Arena> open) {
                for (int i = 0; i < 60; i++) {
                    open.getFirst().allocate(1500);
                }
            }
        },
        LARGE {
            @Override
            void run(MemoryPool pool, List<Arena> open) {
                open.getFirst().allocate(6 << 20);
                open.getFirst().allocate(5 << 20);
            }
        },
        SHARED {
            @Override
            void run(MemoryPool pool, List<Arena> open) {
                Arena arena = pool.openShared();
                open.add(arena);
                for (int i = 0; i < 60; i++) {
                    arena.allocate(1500);
                }
                arena.close();
            }
        },
        DEFERRED {
            @Override
            void run(MemoryPool pool, List<Arena> open) {
                Arena arena = pool.openSharedDeferred();
                open.add(arena);
                arena.allocate(1500);
                arena.allocate(2 << 20);
                arena.close();
            }
        };

        abstract void run(MemoryPool pool, List<Arena> open);
    }

    private final Object[] ballast = new Object[1 << 16];
    private final Object[] crumbs = new Object[LEFT_MAX];
    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("heap")
                    .committedMaxBytes(LIMIT)
                    .reservedMaxBytes(3 * LIMIT) // chunks and pages reserve apart
                    .decay(Duration.ofHours(1))
                    .build();
    private final ArenaFactory slabs = Objects.requireNonNull(WatchedPool.slabs(pool));
    private final List<String> faults = new ArrayList<>();
    private int failed;
    private int passed;

    private HeapExhaustedProbe() {}

    /** Does it for each number of bytes left, and prints what was found. */
    public static void main(String[] arguments) {
        initializeLogging();
        new HeapExhaustedProbe().run(Use.valueOf(arguments[0]));
    }

    /**
     * What the JDK itself needs to log and to end: initialized while the heap is full, its classes
     * would stay broken.
     */
    private static void initializeLogging() {
        System.getLogger("io.polder").log(System.Logger.Level.TRACE, "no line");
    }

    private void run(Use use) {
        for (int i = 0; i < 15; i++) { // all classes are there, and all calls are linked
            round(use, -1);
            beyondTheLimit();
        }
        failed = 0;
        passed = 0;
        int step = use == Use.LARGE ? LEFT_MAX / ROUNDS : 1; // it makes the most objects
        for (int i = 0; i < ROUNDS; i++) {
            round(use, i * step);
        }
        lookWhatIsLeft();
        // Not formatted: what the JDK needs for that may have failed to initialise meanwhile.
        System.out.println(
                (faults.isEmpty() ? "intact" : "HURT")
                        + ": failed="
                        + failed
                        + ", passed="
                        + passed);
        faults.stream().limit(20).forEach(System.out::println);
    }

    /** So that the JDK can put together what a message says. */
    private void beyondTheLimit() {
        for (long bytes : new long[] {LIMIT + 1, 1L << 48}) {
            try (Arena arena = pool.openConfined()) {
                arena.allocate(bytes);
                faults.add("there is a limit");
            } catch (OutOfMemoryError full) {
                failed += full.toString().isEmpty() ? 0 : 1;
            }
        }
    }

    private void round(Use use, int left) {
        List<Arena> open = new ArrayList<>(10);
        open.add(left % 2 == 0 ? pool.openConfined() : pool.openShared());
        open.getFirst().allocate(40);
        if (left >= 0) {
            fill(left);
        }
        try {
            use.run(pool, open);
            passed++;
        } catch (OutOfMemoryError full) {
            failed++;
        } finally {
            Arrays.fill(ballast, null);
            Arrays.fill(crumbs, null);
        }
        for (Arena arena : open) {
            close(arena, left);
        }
        PoolStatistics now = trimmed();
        if (now.usedBytes() != 0 || now.committedBytes() != 0) {
            faults.add(
                    "left=%d: used=%d, committed=%d"
                            .formatted(left, now.usedBytes(), now.committedBytes()));
        }
    }

    /** Trims, again where the background has isolated a page at that moment. */
    private PoolStatistics trimmed() {
        pool.trim();
        PoolStatistics now = pool.stats();
        for (int i = 0; i < TRIMS_MAX && now.committedBytes() > 0; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            pool.trim();
            now = pool.stats();
        }
        return now;
    }

    private void close(Arena arena, int left) {
        try {
            arena.close();
        } catch (IllegalStateException refused) {
            if (!"Already closed".equals(refused.getMessage())) {
                faults.add("left=%d: %s".formatted(left, refused));
            }
        } catch (RuntimeException | Error failure) {
            faults.add("left=%d: close threw %s".formatted(left, failure));
        }
    }

    /** Leaves as many crumbs, which the garbage collector makes one piece of. */
    private void fill(int left) {
        for (int i = 0; i < crumbs.length; i++) {
            crumbs[i] = new byte[0];
        }
        int count = 0;
        // Few sizes: each ends with two collections.
        for (int bytes = 1 << 18; bytes >= CRUMB_BYTES; bytes >>= 7) {
            try {
                while (count < ballast.length) {
                    ballast[count] = new byte[bytes - CRUMB_BYTES];
                    count++;
                }
            } catch (OutOfMemoryError full) {
                // Smaller ones may fit.
            }
        }
        Arrays.fill(crumbs, 0, left, null);
    }

    /** What the limit allows is all there. */
    private void lookWhatIsLeft() {
        try {
            SlabAudit.check(slabs);
            try (Arena arena = pool.openShared()) {
                for (long i = LIMIT >> 22; i > 0; i--) {
                    arena.allocate(1 << 22);
                }
            }
            pool.close();
        } catch (Error fault) {
            faults.add(fault.toString());
        }
        if (pool.stats().reservedBytes() != 0) {
            faults.add("reserved=" + pool.stats().reservedBytes());
        }
    }
}
