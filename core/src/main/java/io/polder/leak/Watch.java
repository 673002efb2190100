package io.polder.leak;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.event.Events;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds what a pool has opened, that became unreachable, and was never closed.
 *
 * <pre>{@code
 *   owner (arena, page, heap) --> Lease <-- phantom reference -- Trace, in "watched"
 *
 *   close:      the trace is removed and cleared
 *   collector:  owner and lease are unreachable --> queue --> tick, in the background --> told
 * }</pre>
 *
 * <p><b>Which.</b> Arenas as the {@link Sampler} says; pages and heaps, which are few and large,
 * all of them.
 *
 * <p><b>What has no memory</b> is no leak: nothing is lost with it.
 *
 * <p><b>A leak is only told.</b> Its memory stays with it: whatever was reachable from Java is
 * gone, but native code may have the address, and the memory is its until the arena is closed.
 *
 * <p><b>Threads.</b> Thread-safe. {@code latest} and what belongs to it is guarded by its monitor,
 * in which nothing else runs. What is found is told in the background with no lock held.
 *
 * <p>Invariant: {@code leaked >= latest.size()}; each trace is removed from {@code watched} once.
 */
public final class Watch {
    /** Of so many arenas one is watched, where they are sampled: a stack costs some 3 us. */
    public static final int SAMPLED_ONE_IN = 8192;

    private static final long PERIOD_NANOS = 1_000_000_000;

    /** Leaks that are remembered for reports. */
    private static final int LATEST_MAX = 8;

    private final String poolName;
    private final int oneIn;
    private final Sampler sampler;
    private final Set<Trace> watched = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<Lease> queue = new ReferenceQueue<>();
    private final LeakLog log;
    private final Task task;

    private final ArrayDeque<Found> latest = new ArrayDeque<>();
    private long leaked;
    private long leakedBytes;

    /**
     * A watch of nothing yet.
     *
     * @param poolName how messages call the pool
     * @param oneIn of so many arenas one is watched, 1 or more
     * @param background where leaks are told
     */
    public Watch(String poolName, int oneIn, Background background) {
        this.poolName = poolName;
        this.oneIn = oneIn;
        this.sampler = new Sampler(this);
        this.log = new LeakLog(poolName, oneIn);
        this.task = background.task(this::tick, PERIOD_NANOS);
    }

    /** Chooses which arenas are watched. */
    public Sampler sampler() {
        return sampler;
    }

    /** What a page or a heap has to hold that is about to be opened. */
    public Lease always(Kind kind) {
        Lease lease = new Lease(this, kind, OpenedAt.frames());
        watched.add(lease.trace());
        task.wake();
        return lease;
    }

    ReferenceQueue<Lease> queue() {
        return queue;
    }

    /** Ends the watch of one; returns whether this call did. */
    boolean remove(Trace trace) {
        return watched.remove(trace);
    }

    /** Tells what was found since the last tick; returns whether there is more to do. */
    boolean tick() {
        for (Trace trace = poll(); trace != null; trace = poll()) {
            if (remove(trace)) {
                long bytes = trace.bytes();
                if (bytes > 0) {
                    tell(new Found(trace.kind(), bytes, trace.thread(), trace.openedAt()));
                }
            }
        }
        warn(log.catchUp(leaked(), System.nanoTime()));
        return !watched.isEmpty() || log.isBehind();
    }

    private @Nullable Trace poll() {
        return (Trace) queue.poll();
    }

    private void tell(Found found) {
        long count;
        synchronized (latest) {
            leaked++;
            leakedBytes += found.bytes();
            count = leaked;
            latest.addLast(found);
            if (latest.size() > LATEST_MAX) {
                latest.removeFirst();
            }
        }
        Events.leak(
                poolName,
                found.kind().toString(),
                found.bytes(),
                found.thread(),
                String.join("\n", found.openedAt()));
        warn(log.tell(found, count, System.nanoTime()));
    }

    private static void warn(@Nullable String message) {
        if (message != null) {
            System.getLogger("io.polder").log(Level.WARNING, message);
        }
    }

    /** Of so many arenas one is watched. */
    public int oneIn() {
        return oneIn;
    }

    /** How many are watched now. */
    public int watched() {
        return watched.size();
    }

    /** How many leaks were found. */
    public long leaked() {
        synchronized (latest) {
            return leaked;
        }
    }

    /** What those have. */
    public long leakedBytes() {
        synchronized (latest) {
            return leakedBytes;
        }
    }

    /** The last few of them, the latest at the end. */
    public List<Found> latest() {
        synchronized (latest) {
            return List.copyOf(latest);
        }
    }

    /** Checks the invariants. */
    void verify() {
        synchronized (latest) {
            if (leaked < latest.size() || leakedBytes < 0) {
                throw new AssertionError(
                        "leaked >= latest: leaked="
                                + leaked
                                + ", leakedBytes="
                                + leakedBytes
                                + ", latest="
                                + latest);
            }
        }
    }
}
