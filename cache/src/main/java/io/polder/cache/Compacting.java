package io.polder.cache;

import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;

import java.util.concurrent.TimeUnit;

/**
 * Has the heap of a cache compacted for threads that wait for it, as long as it gets on.
 *
 * <pre>{@code
 *   thread:     request --> wait --+--> compacted
 *                  |               +--> nothing got on for a second
 *                  v
 *   another:    one compaction for all requests that came before it
 * }</pre>
 *
 * <p>Somebody who reads a large entry for long holds compaction up. Then who waits goes on, and the
 * rest is done when the reader leaves. Who runs in a function that is given bytes of an entry does
 * not wait at all: it may be for himself.
 *
 * <p>Where no thread can be started, who asks compacts himself, and waits as long as readers take.
 *
 * <p>Thread-safe: the monitor guards all fields, and nothing is called under it.
 */
final class Compacting {
    /** Much longer than the turns of a busy machine. */
    static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LOOK_MILLIS = 50;

    private final RelocatingHeap heap;

    /** How many have asked, and how many of them a compaction that has ended was for. */
    private long requested;

    private long served;

    private boolean running;

    Compacting(RelocatingHeap heap) {
        this.heap = heap;
    }

    /**
     * Has it compacted; an interrupt does not end the wait, and is passed on.
     *
     * @return whether that is done
     */
    boolean compact() {
        long mine = ask();
        return !Entries.isInsideRunningThread() && await(mine);
    }

    private long ask() {
        long mine;
        boolean starts;
        synchronized (this) {
            mine = ++requested;
            starts = !running;
            running = true;
        }
        if (starts) {
            boolean begun = false;
            try {
                Thread _ = Thread.ofPlatform().daemon().name("polder-cache").start(this::run);
                begun = true;
            } catch (OutOfMemoryError _) {
                begun = !Entries.isInsideRunningThread();
                if (begun) {
                    run();
                }
            } finally {
                if (!begun) {
                    ended();
                }
            }
        }
        return mine;
    }

    private void run() {
        long next = -1;
        try {
            next = next();
            while (next > 0) {
                long _ = heap.compact();
                served(next);
                next = next();
            }
        } catch (IllegalStateException _) {
            // It was closed meanwhile; or no thread could be started, and the caller who compacts
            // in
            // its place is inside another heap.
        } finally {
            if (next != 0) { // else another thread may compact already
                ended();
            }
        }
    }

    /** The last request that was not served; 0 if there is none, and the thread ends. */
    private synchronized long next() {
        running = served < requested;
        return running ? requested : 0;
    }

    private synchronized void served(long upTo) {
        served = upTo;
        notifyAll();
    }

    /** Those who wait go on. */
    private synchronized void ended() {
        running = false;
        notifyAll();
    }

    private boolean await(long request) {
        boolean interrupted = false;
        long done = progress();
        long since = System.nanoTime();
        while (!isOver(request) && System.nanoTime() - since < STUCK_NANOS) {
            synchronized (this) {
                try {
                    if (!isOver(request)) {
                        wait(LOOK_MILLIS);
                    }
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
            long now = progress();
            if (now != done) {
                done = now;
                since = System.nanoTime();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isOver(request);
    }

    private synchronized boolean isOver(long request) {
        return served >= request || !running;
    }

    /** Another number whenever compaction has got on. */
    private long progress() {
        HeapStatistics stats = heap.stats();
        return stats.evacuatedBytes() + stats.cycles() + stats.givenBackBytes();
    }
}
