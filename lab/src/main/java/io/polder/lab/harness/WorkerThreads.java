package io.polder.lab.harness;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.stream.IntStream;

/**
 * So many threads that do the same at the same time, as often as they are asked to.
 *
 * <pre>{@code
 *   all at the barrier ---> kind is set ---> pass ... pass ... pass --stop--> barrier
 *                                   |  lead  |<--- window --->|
 *                                            operations and processor time of each thread, twice
 * }</pre>
 *
 * <p>What an operation costs is the processor time of all threads over their operations, both
 * within a window in which all threads are at work: no start and no end is in it, and it does not
 * matter how many processors there are, nor who else uses them.
 *
 * <p>Confined to the thread that opened it, but for {@link #work}.
 *
 * @param <K> kinds of what there is to do
 */
public final class WorkerThreads<K extends Enum<K>> {
    /** Between counters of two threads, so that no line is shared. */
    private static final int STRIDE = 16;

    /** Of the window, to let all threads begin. A guess. */
    private static final int LEAD = 4;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    private final Class<K> kinds;
    private final Loop.Maker<K> maker;
    private final Barrier barrier;
    private final List<Thread> threads;
    private final long[] operations;

    private volatile K kind;
    private volatile boolean stopping;
    private volatile boolean closing;

    /** Starts so many threads. */
    public WorkerThreads(int count, Class<K> kinds, Loop.Maker<K> maker) {
        this(
                count,
                kinds,
                maker,
                Thread.ofPlatform().daemon().name("polder-lab-worker-", 0).factory());
    }

    /** Starts so many threads of a kind. */
    public WorkerThreads(
            int count, Class<K> kinds, Loop.Maker<K> maker, ThreadFactory threadsOfKind) {
        this.kinds = kinds;
        this.maker = maker;
        this.kind = kinds.getEnumConstants()[0];
        this.barrier = new Barrier(count + 1);
        this.operations = new long[(count + 1) * STRIDE];
        this.threads =
                IntStream.range(0, count)
                        .mapToObj(i -> threadsOfKind.newThread(() -> work(i)))
                        .toList();
        threads.forEach(Thread::start);
    }

    /**
     * What was measured in a window.
     *
     * @param operations of all threads
     * @param cpuNanos of processors, of all threads
     * @param wallNanos on the clock
     */
    public record Window(long operations, long cpuNanos, long wallNanos) {
        /** Processor time of an operation. */
        public double cpuNanosPerOperation() {
            return (double) cpuNanos / Math.max(1, operations);
        }

        /** Operations in a second of the clock. */
        public double perSecond() {
            return operations * 1e9 / wallNanos;
        }

        /** How many processors the threads got. */
        public double processors() {
            return (double) cpuNanos / wallNanos;
        }

        private Window since(Window earlier) {
            return new Window(
                    operations - earlier.operations,
                    cpuNanos - earlier.cpuNanos,
                    wallNanos - earlier.wallNanos);
        }
    }

    /** All threads do one kind of loop, for a window or for two if in one nobody got anywhere. */
    public Window measure(K which, Duration window) throws InterruptedException {
        kind = which;
        stopping = false;
        barrier.await();
        Thread.sleep(window.dividedBy(LEAD));
        Window before = look();
        Window after;
        do {
            Thread.sleep(window);
            barrier.check();
            after = look();
        } while (after.operations == before.operations || after.cpuNanos == before.cpuNanos);
        stopping = true;
        barrier.await();
        return after.since(before);
    }

    private Window look() {
        long sum = 0;
        long nanos = 0;
        for (int i = 0; i < threads.size(); i++) {
            nanos += cpu.getThreadCpuTime(threads.get(i).threadId());
            sum += (long) COUNT.getOpaque(operations, (i + 1) * STRIDE);
        }
        return new Window(sum, nanos, System.nanoTime());
    }

    private void work(int thread) {
        try {
            Map<K, Loop> loops = new EnumMap<>(kinds);
            for (K each : kinds.getEnumConstants()) {
                loops.put(each, maker.make(each, thread));
            }
            barrier.await();
            while (!closing) {
                passUntilStopped(Objects.requireNonNull(loops.get(kind)), (thread + 1) * STRIDE);
                barrier.await();
                barrier.await();
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            barrier.fail(thrown);
        }
    }

    private void passUntilStopped(Loop loop, int own) {
        long sum = operations[own];
        while (!stopping) {
            sum += loop.pass();
            COUNT.setOpaque(operations, own, sum);
        }
    }

    /** Ends the threads. */
    public void close() throws InterruptedException {
        closing = true;
        barrier.await();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
