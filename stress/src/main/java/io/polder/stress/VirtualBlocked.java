package io.polder.stress;

import io.polder.arena.ArenaFactory;
import io.polder.arena.ChunkSource;
import io.polder.arena.SlabSettings;
import io.polder.arena.Slabs;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.Providers;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Many virtual threads that block at the same time, each with an arena open: far more than there
 * are slots. Each must have a chunk of its own, and afterwards all must be home.
 *
 * <p>Twice, and the second time no memory may be committed: what the first round left is enough.
 * Exit code 0 if so, 1 if not, 2 for arguments that are none.
 */
public final class VirtualBlocked {
    private static final int THREADS = 20_000;
    private static final int ROUNDS = 2;

    /** Seconds are the rule; a JVM out of heap, for one, would keep everybody waiting for ever. */
    private static final int PATIENCE_MINUTES = 2;

    private final ChunkSource source =
            Slabs.source(Providers.choose().provider(), SlabSettings.BYTES_DEFAULT);
    private final ArenaFactory memory =
            ArenaFactory.create(
                    source,
                    SlabSettings.COUNT_DEFAULT,
                    () -> {},
                    Runtime.getRuntime().availableProcessors(),
                    null);
    private final LongAdder intact = new LongAdder();

    private final int leakEvery;

    private VirtualBlocked(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    /**
     * Runs the soak.
     *
     * @param arguments none, or {@code --leak-every N}: one in this many threads never closes its
     *     arena, to show that a leak is found
     */
    public static void main(String[] arguments) throws InterruptedException {
        boolean leaks = arguments.length == 2 && arguments[0].equals("--leak-every");
        if (arguments.length > 0 && !leaks) {
            System.err.println("VirtualBlocked [--leak-every N]");
            System.exit(2);
        }
        int leakEvery = leaks ? Integer.parseInt(arguments[1]) : 0;
        System.exit(new VirtualBlocked(leakEvery).soak() ? 0 : 1);
    }

    private boolean soak() throws InterruptedException {
        boolean enough = true;
        long committed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            block();
            long now = Slabs.committedBytes(source);
            enough &=
                    now >= THREADS * ChunkLevel.SMALLEST_BYTES && (round == 0 || now == committed);
            committed = now;
        }
        String whereabouts = Slabs.whereabouts(memory);
        boolean ok = enough && whereabouts.equals("home") && intact.sum() == ROUNDS * THREADS;
        System.out.printf(
                "%s: %,d virtual threads blocked with an arena open, twice; %,d KiB, all %s;"
                        + " %,d arenas intact%n",
                ok ? "ok" : "FAILED", THREADS, committed >> 10, whereabouts, intact.sum());
        return ok;
    }

    private void block() throws InterruptedException {
        CountDownLatch open = new CountDownLatch(THREADS);
        CountDownLatch release = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int mark = i + 1;
            threads.add(
                    Thread.ofVirtual()
                            .uncaughtExceptionHandler(Failures::end)
                            .start(() -> hold(mark, open, release)));
        }
        if (!open.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("not all threads came: missing=" + open.getCount());
        }
        release.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Holds an arena until all do, and looks whether it was disturbed. */
    private void hold(int mark, CountDownLatch open, CountDownLatch release) {
        Arena arena = memory.openConfined();
        try {
            MemorySegment segment = arena.allocate(ValueLayout.JAVA_INT);
            boolean zero = segment.get(ValueLayout.JAVA_INT, 0) == 0;
            segment.set(ValueLayout.JAVA_INT, 0, mark);
            open.countDown();
            release.await();
            if (zero && segment.get(ValueLayout.JAVA_INT, 0) == mark) {
                intact.increment();
            }
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts this thread", never);
        } finally {
            if (leakEvery == 0 || mark % leakEvery != 0) {
                arena.close();
            }
        }
    }
}
