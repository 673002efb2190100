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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Finds the arenas, pages and heaps of a pool that became unreachable without having been closed.
 *
 * <pre>{@code
 *   owner (arena, page, heap) --> LeakTracker <-- TrackedReference, a phantom one, in "tracked"
 *
 *   close:      the reference is removed and cleared
 *   collector:  owner and tracker are unreachable --> queue --> tick, in the background --> report
 * }</pre>
 *
 * <p>It tracks the arenas that the {@link Sampler} chooses, and all pages and heaps, since those
 * are few and large. An owner without memory is no leak: nothing is lost with it.
 *
 * <p>Blocks are tracked by nobody: those that are left when a pool is closed are {@linkplain
 * #report(List) reported} by it, as leaks that were found.
 *
 * <p><b>A leak is only reported.</b> It keeps its memory: Java code cannot reach that any more, but
 * native code may have the address, and may use the memory until the arena is closed.
 *
 * <p><b>Threads.</b> Thread-safe. The monitor of {@code latest} guards {@code latest}, {@code
 * leaked} and {@code leakedBytes}; nothing else runs under it. The background reports leaks with no
 * lock held; {@code taken} belongs to the background, one tick at a time.
 *
 * <p><b>Failure.</b> A reference that the collector enqueued is {@code taken} until the leak is
 * counted, by stores in place, and the reference removed from {@code tracked}. So the next tick
 * goes on where an error cut one off, and each leak is counted once. Its report comes after, and
 * may fail.
 *
 * <p>Invariant: {@code leaked} and {@code leakedBytes} are at least 0; the last {@code leaked} of
 * them, up to {@link #LATEST_MAX}, are in {@code latest}, each at its number.
 */
public final class LeakDetector {
    /** Of so many arenas one is tracked, where they are sampled: a stack costs some 3 us. */
    public static final int SAMPLED_ONE_IN = 8192;

    private static final long PERIOD_NANOS = 1_000_000_000;

    /** Leaks that are remembered for reports. */
    private static final int LATEST_MAX = 8;

    private final String poolName;
    private final int oneIn;
    private final Sampler sampler;
    private final Set<TrackedReference> tracked = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<LeakTracker> queue = new ReferenceQueue<>();
    private final LeakLog log;
    private final Task task;

    /** Leaks that are counted, for the background to log. */
    private final Queue<Counted> counted = new ConcurrentLinkedQueue<>();

    /** What the collector has enqueued and nobody has counted yet. */
    private @Nullable TrackedReference taken;

    private final @Nullable LeakRecord[] latest = new @Nullable LeakRecord[LATEST_MAX];
    private long leaked;
    private long leakedBytes;

    /**
     * A detector that tracks nothing yet.
     *
     * @param poolName how messages call the pool
     * @param oneIn of so many arenas one is tracked, 1 or more
     * @param background reports leaks
     */
    public LeakDetector(String poolName, int oneIn, Background background) {
        this.poolName = poolName;
        this.oneIn = oneIn;
        this.sampler = new Sampler(this);
        this.log = new LeakLog(poolName, oneIn);
        this.task = background.task(this::tick, PERIOD_NANOS);
    }

    /** Chooses which arenas are tracked. */
    public Sampler sampler() {
        return sampler;
    }

    /** Tracks a page or a heap that is about to be opened, and will hold the tracker. */
    public LeakTracker track(Kind kind) {
        LeakTracker tracker = new LeakTracker(this, kind, OpenedAt.frames());
        tracked.add(tracker.reference());
        task.wake();
        return tracker;
    }

    /** A leak and its number. */
    private record Counted(LeakRecord leak, long number) {}

    /** Counts and reports leaks that somebody else has found; never fails, but for an error. */
    public void report(List<LeakRecord> leaks) {
        for (LeakRecord leak : leaks) {
            long number;
            synchronized (latest) {
                number = countLocked(leak);
            }
            counted.add(new Counted(leak, number));
            record(leak);
        }
        task.wake();
    }

    ReferenceQueue<LeakTracker> queue() {
        return queue;
    }

    /** Tracks a reference no longer, if it did. */
    void remove(TrackedReference reference) {
        tracked.remove(reference);
    }

    /** Reports the leaks since the last tick; returns whether there is more to do. */
    boolean tick() {
        for (TrackedReference reference = next(); reference != null; reference = next()) {
            report(reference);
        }
        for (Counted next = counted.poll(); next != null; next = counted.poll()) {
            warn(log.message(next.leak(), next.number(), System.nanoTime()));
        }
        warn(log.suppressed(leaked(), System.nanoTime()));
        return !tracked.isEmpty() || log.isBehind();
    }

    /** The one that a tick had taken before an error cut it off, or the next; null if none is. */
    private @Nullable TrackedReference next() {
        if (taken == null) {
            taken = (TrackedReference) queue.poll();
        }
        return taken;
    }

    private void report(TrackedReference reference) {
        LeakRecord leak = null;
        if (!reference.closed()) {
            long bytes = reference.bytes();
            if (bytes > 0) {
                leak =
                        new LeakRecord(
                                reference.kind(), bytes, reference.thread(), reference.openedAt());
            }
        }
        tracked.remove(reference);
        if (leak == null) {
            taken = null;
            return;
        }
        long count;
        synchronized (latest) {
            count = countLocked(leak);
            taken = null;
        }
        record(leak);
        warn(log.message(leak, count, System.nanoTime()));
    }

    /** Counts a leak, by stores; returns its number. */
    private long countLocked(LeakRecord leak) {
        long bytes = leak.bytes();
        long count = leaked + 1;
        latest[(int) (leaked % LATEST_MAX)] = leak;
        leakedBytes += bytes;
        leaked = count;
        return count;
    }

    private void record(LeakRecord leak) {
        Events.leak(
                poolName,
                leak.kind().toString(),
                leak.bytes(),
                leak.thread(),
                String.join("\n", leak.openedAt()));
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

    /** Of so many arenas one is tracked. */
    public int oneIn() {
        return oneIn;
    }

    /** How many owners are tracked now. */
    public int tracked() {
        return tracked.size();
    }

    /** How many leaks there were. */
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
    public List<LeakRecord> latest() {
        synchronized (latest) {
            List<LeakRecord> leaks = new ArrayList<>(LATEST_MAX);
            for (long number = Math.max(0, leaked - LATEST_MAX); number < leaked; number++) {
                leaks.add(Objects.requireNonNull(latest[(int) (number % LATEST_MAX)]));
            }
            return List.copyOf(leaks);
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
