package io.polder.lab.experiments.elasticity;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;

/** A few threads with numbers, which work at the same time, and what that took. */
final class TimedThreads implements AutoCloseable {
    private final ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    private final List<ExecutorService> threads = new ArrayList<>();

    /** Starts so many threads. */
    TimedThreads(int threads) {
        for (int i = 0; i < threads; i++) {
            String name = "polder-lab-timed-" + i;
            this.threads.add(
                    Executors.newSingleThreadExecutor(
                            work -> Thread.ofPlatform().daemon().name(name).unstarted(work)));
        }
    }

    /**
     * What work took.
     *
     * @param wallNanos until the last thread was done
     * @param cpuNanos of processors that all threads together got
     */
    record Took(long wallNanos, long cpuNanos) {
        static final Took NOTHING = new Took(0, 0);

        Took plus(Took other) {
            return new Took(wallNanos + other.wallNanos, cpuNanos + other.cpuNanos);
        }
    }

    /**
     * Every thread does its work, given its number.
     *
     * @throws ExecutionException if one of them threw; the others have ended too
     * @throws InterruptedException if this thread was interrupted; they may still be at work
     */
    Took run(IntConsumer work) throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        List<Future<Long>> results = new ArrayList<>();
        for (int i = 0; i < threads.size(); i++) {
            int thread = i;
            results.add(threads.get(i).submit(() -> cpuNanos(thread, work)));
        }
        long cpuNanos = 0;
        ExecutionException failure = null;
        for (Future<Long> result : results) {
            try {
                cpuNanos += result.get();
            } catch (ExecutionException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return new Took(System.nanoTime() - start, cpuNanos);
    }

    private long cpuNanos(int thread, IntConsumer work) {
        long start = cpu.getCurrentThreadCpuTime();
        work.accept(thread);
        return cpu.getCurrentThreadCpuTime() - start;
    }

    /** Ends the threads. */
    @Override
    public void close() {
        threads.forEach(ExecutorService::close);
    }
}
