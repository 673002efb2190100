package io.polder.leak;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.event.Events;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
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
 * in which nothing else runs. What is found is told in the background with no lock held; {@code
 * taken} belongs to the background, one tick at a time.
 *
 * <p><b>Failure.</b> What the collector has found is {@code taken} until it is counted, by stores
 * in place, and removed from {@code watched}: so a tick that is cut off is gone on with by the next
 * one, and a leak is counted once. Telling it comes after, and may fail.
 *
 * <p>Invariant: {@code leaked} and {@code leakedBytes} are at least 0; the last {@code leaked} of
 * them, up to {@link #LATEST_MAX}, are in {@code latest}, each at its number.
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

    /** What was found and is not counted yet. */
    private @Nullable Trace taken;

    private final @Nullable Found[] latest = new @Nullable Found[LATEST_MAX];
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

    /** Ends the watch of one, if it is watched. */
    void remove(Trace trace) {
        watched.remove(trace);
    }

    /** Tells what was found since the last tick; returns whether there is more to do. */
    boolean tick() {
        for (Trace trace = next(); trace != null; trace = next()) {
            tell(trace);
        }
        warn(log.catchUp(leaked(), System.nanoTime()));
        return !watched.isEmpty() || log.isBehind();
    }

    /** The one that a tick that was cut off had taken, or another; null if none was found. */
    private @Nullable Trace next() {
        if (taken == null) {
            taken = (Trace) queue.poll();
        }
        return taken;
    }

    private void tell(Trace trace) {
        Found found = null;
        if (!trace.ended()) {
            long bytes = trace.bytes();
            if (bytes > 0) {
                found = new Found(trace.kind(), bytes, trace.thread(), trace.openedAt());
            }
        }
        watched.remove(trace);
        if (found == null) {
            taken = null;
            return;
        }
        long bytes = found.bytes();
        long count;
        synchronized (latest) {
            count = leaked + 1;
            latest[(int) (leaked % LATEST_MAX)] = found;
            leakedBytes += bytes;
            leaked = count;
            taken = null;
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
        try {
            if (message != null) {
                System.getLogger("io.polder").log(Level.WARNING, message);
            }
        } catch (Throwable ignored) {
            // The logger is somebody else's; the leak is counted
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
            List<Found> found = new ArrayList<>(LATEST_MAX);
            for (long number = Math.max(0, leaked - LATEST_MAX); number < leaked; number++) {
                found.add(Objects.requireNonNull(latest[(int) (number % LATEST_MAX)]));
            }
            return List.copyOf(found);
        }
    }

    /** Checks the invariants. */
    void verify() {
        synchronized (latest) {
            boolean kept = true;
            for (int at = 0; at < LATEST_MAX; at++) {
                kept &= at >= leaked || latest[at] != null;
            }
            if (!kept || leaked < 0 || leakedBytes < 0) {
                throw new AssertionError(
                        "the latest leaks are kept: leaked="
                                + leaked
                                + ", leakedBytes="
                                + leakedBytes
                                + ", latest="
                                + Arrays.toString(latest));
            }
        }
    }
}
