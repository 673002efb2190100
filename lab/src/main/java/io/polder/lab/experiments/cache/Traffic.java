package io.polder.lab.experiments.cache;

import io.polder.lab.harness.Barrier;
import io.polder.lab.harness.Control;
import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Two threads that read and write a cache, in windows: once to count what they do, and once with a
 * clock before and after each operation. Which keys they ask for is drawn before.
 *
 * <p>Confined to the thread that opened it.
 */
final class Traffic {
    private static final int THREADS = 2;

    static final double EXPONENT = 0.99;

    /** Of each thread; then it begins again. */
    private static final int DRAWS_MAX = 1 << 22;

    private static final int DRAWS_MIN = 1 << 16;

    /** Coprime to any number of entries below it: spreads neighbouring ranks over all keys. */
    private static final long PRIME = 2_654_435_761L;

    /** Of operations, between two looks at whether the window has ended. */
    private static final int TURN = 64;

    private final CacheUnderTest cache;
    private final Values values;
    private final Barrier barrier = new Barrier(THREADS + 1);
    private final List<Worker> workers = new ArrayList<>();
    private volatile Kind kind = Kind.COUNT;
    private volatile Mix mix = Mix.READS;
    private volatile boolean stopping;
    private volatile boolean closing;
    private long windowNanos;

    private enum Kind {
        COUNT,
        CLOCK,
        CONTROL
    }

    /** Times of operations, in nanoseconds. */
    record Latencies(Histogram gets, Histogram puts) {}

    /** Starts the threads, for a cache with the keys from 0 to {@code entries}. */
    Traffic(CacheUnderTest cache, Values values, int entries, long seed) {
        this.cache = cache;
        this.values = values;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < THREADS; i++) {
            workers.add(new Worker(drawn(entries, random.split()), random.nextLong()));
        }
        workers.forEach(Worker::start);
    }

    private static int[] drawn(int entries, SplittableRandom random) {
        int[] keys = new int[Math.clamp(4L * entries, DRAWS_MIN, DRAWS_MAX)];
        ZipfRanks ranks = new ZipfRanks(entries, EXPONENT, random);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (int) (ranks.next() * PRIME % entries);
        }
        return keys;
    }

    /** How many operations all threads did in a window. */
    long perWindow(Mix which, Duration window) throws InterruptedException {
        mix = which;
        run(Kind.COUNT, window);
        return workers.stream().mapToLong(worker -> worker.done).sum();
    }

    /** How long operations took. */
    Latencies timed(Mix which, Duration window) throws InterruptedException {
        mix = which;
        run(Kind.CLOCK, window);
        Latencies all = new Latencies(Nanos.histogram(), Nanos.histogram());
        for (Worker worker : workers) {
            all.gets.add(worker.gets);
            all.puts.add(worker.puts);
        }
        return all;
    }

    /** What the machine does to two threads that are always busy and wait for nobody. */
    Histogram control(Duration window) throws InterruptedException {
        run(Kind.CONTROL, window);
        Histogram all = Nanos.histogram();
        workers.forEach(worker -> all.add(worker.gets));
        return all;
    }

    /** How long the last window was. */
    long windowNanos() {
        return windowNanos;
    }

    /** Of all reads so far, the part that found a value. */
    double hitShare() {
        long hits = workers.stream().mapToLong(worker -> worker.hits).sum();
        long reads = workers.stream().mapToLong(worker -> worker.reads).sum();
        return (double) hits / Math.max(1, reads);
    }

    private void run(Kind next, Duration window) throws InterruptedException {
        kind = next;
        stopping = false;
        barrier.await();
        long start = System.nanoTime();
        Thread.sleep(window);
        stopping = true;
        windowNanos = System.nanoTime() - start;
        barrier.await();
    }

    /** Ends the threads. */
    void close() throws InterruptedException {
        closing = true;
        barrier.await();
        for (Worker worker : workers) {
            worker.thread.join();
        }
    }

    /** One of the threads; what it has measured is read by others while it waits. */
    private final class Worker {
        final Thread thread =
                Thread.ofPlatform().daemon().name("polder-lab-traffic").unstarted(this::work);
        final Histogram gets = Nanos.histogram();
        final Histogram puts = Nanos.histogram();
        private final int[] keys;
        private final SplittableRandom random;
        private @Nullable Control control;
        private int next;
        long done;
        long reads;
        long hits;

        Worker(int[] keys, long seed) {
            this.keys = keys;
            this.random = new SplittableRandom(seed);
        }

        void start() {
            thread.start();
        }

        private void work() {
            try {
                barrier.await();
                while (!closing) {
                    done = 0;
                    gets.reset();
                    puts.reset();
                    do {
                        turn(kind);
                    } while (!stopping);
                    barrier.await();
                    barrier.await();
                }
            } catch (InterruptedException | RuntimeException | Error thrown) {
                barrier.fail(thrown);
            }
        }

        private void turn(Kind which) {
            for (int i = 0; i < TURN; i++) {
                switch (which) {
                    case COUNT -> operate(mix.isGet(random.nextLong()));
                    case CLOCK -> clock(mix.isGet(random.nextLong()));
                    case CONTROL -> control();
                }
            }
            done += TURN;
        }

        private void clock(boolean get) {
            long start = System.nanoTime();
            operate(get);
            Nanos.record(get ? gets : puts, System.nanoTime() - start);
        }

        /** It has much memory: not before it is needed. */
        private void control() {
            Control own = control == null ? new Control() : control;
            control = own;
            Nanos.record(gets, own.nanos());
        }

        private void operate(boolean get) {
            int key = keys[next];
            next = next + 1 == keys.length ? 0 : next + 1;
            if (get) {
                byte[] value = cache.get(key);
                reads++;
                if (value != null) {
                    hits++;
                    Values.checkKey(key, value);
                }
            } else {
                int bytes = mix.valueBytes(TrafficJvm.VALUE_BYTES, random.nextLong());
                cache.put(key, values.of(key, bytes));
            }
        }
    }
}
