package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Operations that arrive at a rate, whether or not those before them are done.
 *
 * <pre>{@code
 *   bundles arrive   |           |           |           |        four thousand times a second
 *   one is slow      ======----------------->=======
 *   those behind it              <---late----+--->                their time counts from arrival
 * }</pre>
 *
 * <p>An operation's latency is its end minus the time at which its bundle was to arrive, by plan:
 * who waits behind a slow one counts as waiting. Operations come in bundles, as they come out of a
 * network, so that between two of them a thread can leave its processor to others.
 */
final class Injector {
    private static final long BUNDLE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /** So long before a bundle a thread no longer sleeps: it would wake up late. */
    private static final long AWAKE_NANOS = TimeUnit.MICROSECONDS.toNanos(120);

    /** When a thread is that part of the duration behind, the rate is given up. */
    private static final int LATE_PART = 4;

    private final int threads;
    private final IntFunction<Runnable> operations;

    /**
     * @param operations of each thread, made once
     */
    Injector(int threads, IntFunction<Runnable> operations) {
        this.threads = threads;
        List<Runnable> made = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            made.add(operations.apply(i));
        }
        this.operations = made::get;
    }

    /**
     * What came of a rate.
     *
     * @param latencies of all operations that were begun
     * @param givenUp whether the rate was given up, because operations could not follow
     */
    record Outcome(Histogram latencies, boolean givenUp) {
        /** Whether operations followed, and all but one of a hundred ended in time. */
        boolean holds(long nanosMax) {
            return !givenUp && latencies.getValueAtPercentile(99) < nanosMax;
        }
    }

    /** Injects operations at a rate for all threads together. */
    Outcome run(double perSecond, Duration duration) throws InterruptedException {
        long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
        List<Lane> lanes = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Lane lane = new Lane(operations.apply(i), start, perSecond / threads, duration);
            lanes.add(lane);
            running.add(Thread.ofPlatform().daemon().name("polder-lab-injector-" + i).start(lane));
        }
        Histogram all = Nanos.histogram();
        boolean givenUp = false;
        for (int i = 0; i < threads; i++) {
            running.get(i).join();
            Lane lane = lanes.get(i);
            lane.requireNoFailure();
            all.add(lane.latencies);
            givenUp |= lane.givenUp;
        }
        return new Outcome(all, givenUp);
    }

    /** One thread's operations. */
    private static final class Lane implements Runnable {
        private final Runnable operation;
        private final long start;
        private final double perBundle;
        private final long bundles;
        private final Histogram latencies = Nanos.histogram();
        private boolean givenUp;
        private @Nullable Throwable failure;

        Lane(Runnable operation, long start, double perSecond, Duration duration) {
            this.operation = operation;
            this.start = start;
            this.perBundle = perSecond * BUNDLE_NANOS / TimeUnit.SECONDS.toNanos(1);
            this.bundles = duration.toNanos() / BUNDLE_NANOS;
        }

        @Override
        public void run() {
            try {
                inject();
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
        }

        private void inject() {
            long done = 0;
            for (long bundle = 0; bundle < bundles && !givenUp; bundle++) {
                long arrival = start + bundle * BUNDLE_NANOS;
                await(arrival);
                long due = (long) (perBundle * (bundle + 1));
                while (done < due) {
                    operation.run();
                    done++;
                    Nanos.record(latencies, System.nanoTime() - arrival);
                }
                givenUp = System.nanoTime() - arrival > bundles * BUNDLE_NANOS / LATE_PART;
            }
        }

        private static void await(long arrival) {
            long left = arrival - System.nanoTime();
            while (left > 0) {
                if (left > AWAKE_NANOS) {
                    LockSupport.parkNanos(left - AWAKE_NANOS);
                } else {
                    Thread.onSpinWait();
                }
                left = arrival - System.nanoTime();
            }
        }

        void requireNoFailure() {
            if (failure != null) {
                throw new IllegalStateException("an operation failed: " + failure, failure);
            }
        }
    }
}
