package io.polder.lab.experiments.blocks;

import com.sun.management.ThreadMXBean;

import org.jspecify.annotations.Nullable;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Threads that work for a while, and what that took them.
 *
 * <pre>{@code
 *   begin, lead --all are ready--> pass, pass, ... --time is over--> end
 *                                  |<----- measured by ----->|
 *                                        each thread
 *                                  ... pass --starts--> successor: pass, pass, ...
 * }</pre>
 *
 * <p>Time is that of processors, which each thread reads itself: it does not matter who else uses
 * them. It is over when all threads together had as much as they would have had of processors of
 * their own; on a busy machine that takes longer, up to a limit.
 */
final class TimedRun {
    /** How often a thread says what it has used. A guess: much longer than asking takes. */
    private static final long TELLING_NANOS = 200_000;

    /** Part of the time in which a thread gets going before, caches and branches with it. */
    private static final int LEAD = 4;

    /** Longer than this many times the time nobody waits for processors, or for each other. */
    private static final int PATIENCE = 40;

    private static final Duration POLL = Duration.ofMillis(1);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final CountDownLatch ready;
    private final CountDownLatch ended;
    private final LongAdder operations = new LongAdder();
    private final LongAdder cpuNanos = new LongAdder();
    private final LongAdder heapBytes = new LongAdder();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long leadNanos;
    private volatile boolean stopping;

    private TimedRun(int count, long leadNanos) {
        this.leadNanos = leadNanos;
        ready = new CountDownLatch(count);
        ended = new CountDownLatch(count);
    }

    /**
     * What it took.
     *
     * @param operations of all threads
     * @param cpuNanos of processors, of all threads
     * @param heapBytes allocated on the Java heap, by all threads
     */
    record Took(long operations, long cpuNanos, long heapBytes) {
        double nanos() {
            return (double) cpuNanos / Math.max(1, operations);
        }

        double heap() {
            return (double) heapBytes / Math.max(1, operations);
        }
    }

    /** What is done meanwhile, again and again, by the thread that waits. */
    @FunctionalInterface
    interface Watcher {
        /** Looks. */
        void look();
    }

    /**
     * Works until time is over, and all blocks are freed.
     *
     * @throws IllegalStateException if a thread failed; says why
     */
    static Took of(Work.Team team, Duration time) throws InterruptedException {
        return of(team, time, POLL, () -> {});
    }

    /** The same, and looks in between, each time after so long. */
    static Took of(Work.Team team, Duration time, Duration interval, Watcher watcher)
            throws InterruptedException {
        int count = team.works().size();
        TimedRun run = new TimedRun(count, time.dividedBy(LEAD).toNanos());
        team.works().forEach(work -> run.start(() -> run.begin(work)));
        run.ready.await();
        long end = System.nanoTime() + time.multipliedBy(PATIENCE).toNanos();
        long enough = time.multipliedBy(count).toNanos();
        while (run.cpuNanos.sum() < enough
                && System.nanoTime() < end
                && run.failure.get() == null) {
            Thread.sleep(interval);
            watcher.look();
        }
        run.stopping = true;
        run.ended.await();
        Throwable thrown = run.failure.get();
        if (thrown != null) {
            throw new IllegalStateException("a thread failed: " + thrown, thrown);
        }
        team.rest().run();
        return new Took(run.operations.sum(), run.cpuNanos.sum(), run.heapBytes.sum());
    }

    private void start(Runnable life) {
        Thread.ofPlatform().daemon().name("polder-lab-blocks").start(life);
    }

    private void begin(Work work) {
        boolean begun = false;
        try {
            work.begin();
            long start = System.nanoTime();
            while (System.nanoTime() - start < leadNanos) {
                work.pass();
            }
            begun = true;
        } catch (RuntimeException | Error thrown) {
            failure.compareAndSet(null, thrown);
        }
        ready.countDown();
        if (begun) {
            live(work);
        } else {
            ended.countDown();
        }
    }

    private void live(Work work) {
        boolean inherited = false;
        try {
            ready.await();
            inherited = pass(work);
            if (inherited) {
                start(() -> live(work));
            } else {
                work.end();
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            failure.compareAndSet(null, thrown);
            inherited = false;
        }
        if (!inherited) {
            ended.countDown();
        }
    }

    /** Works until the end, or until a successor is to go on: then returns true. */
    private boolean pass(Work work) {
        int passes = work.passesOfAThread();
        long sum = 0;
        long heap = threads.getCurrentThreadAllocatedBytes();
        long told = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        while (!stopping && passes > 0) {
            sum += work.pass();
            passes--;
            long now = System.nanoTime();
            if (now - told > TELLING_NANOS) {
                told = now;
                long used = threads.getCurrentThreadCpuTime();
                cpuNanos.add(used - cpu);
                cpu = used;
            }
        }
        cpuNanos.add(threads.getCurrentThreadCpuTime() - cpu);
        heapBytes.add(threads.getCurrentThreadAllocatedBytes() - heap);
        operations.add(sum);
        return passes == 0 && !stopping;
    }
}
