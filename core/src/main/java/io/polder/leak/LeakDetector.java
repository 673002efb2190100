package io.polder.leak;

import io.polder.background.Background;
import io.polder.background.Step;
import io.polder.background.Task;
import io.polder.event.Events;
import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds the arenas, pages and heaps of a pool that became unreachable without having been closed.
 * How closely it looks may change while the pool is used.
 *
 * <pre>{@code
 *   off --> sampled, or all --> off: what is tracked stays so, and nothing is added
 *
 *   owner (arena, page, heap) --> LeakTracker <-- TrackedReference, a phantom one, in "tracked"
 *
 *   close:      the reference is removed and cleared
 *   collector:  owner and tracker are unreachable --> queue --> tick, in the background --> report
 * }</pre>
 *
 * <p>It tracks the arenas that the {@link Sampler} chooses, and all pages and heaps, since those
 * are few and large. An owner without memory is no leak, for nothing is lost with it, unless it is
 * an arena whose scope was given to somebody. The code that opens arenas must know the sampler as a
 * constant, and is told of a change by the code that makes it.
 *
 * <p>It refers to nothing of its pool but the name. So an object that keeps it keeps no memory; nor
 * a class of the program, but those that opened what is tracked now, which the background keeps as
 * well as long as there is any.
 *
 * <p>Blocks are tracked by nobody: those that are left when a pool is closed are {@linkplain
 * #report(List) reported} by it, as leaks that were found.
 *
 * <p><b>A leak is only reported.</b> It keeps its memory: Java code cannot reach that any more, but
 * native code may have the address, and may use the memory until the arena is closed.
 *
 * <p><b>Threads.</b> Thread-safe. The detector's monitor guards changes of how closely it looks.
 * The monitor of {@code sites} guards what was found; nothing else runs under it. Events and
 * messages are the background's, with no lock held. The end of the JVM waits until it is not {@code
 * telling}, so that no message is truncated.
 *
 * <p>Each accessor counts what is enqueued by then. The statistics, and the end of the JVM, count
 * what the collector has cleared, so that no answer is behind a collection that is over: the JVM's
 * thread that enqueues may not have come to it.
 *
 * <p><b>Failure.</b> A leak is counted by the thread that removes its reference from {@code
 * tracked}, and so once. An error in the middle may keep it from being counted, or reported.
 *
 * <p>Invariant: the {@code sites} have {@code leaked} leaks and {@code leakedBytes} together, or
 * less if there are {@link #SITES_MAX} of them.
 */
public final class LeakDetector implements Step {
    private static final long PERIOD_NANOS = 1_000_000_000;

    /** Guessed: longer than a logger takes to begin, on a busy machine. */
    private static final long PATIENCE_NANOS = 2_000_000_000;

    private static final long POLL_NANOS = 1_000_000;

    /** Places whose leaks are counted: guessed, more than anybody reads. */
    static final int SITES_MAX = 100;

    private final String poolName;
    private volatile boolean on;
    private volatile boolean all;

    /** Null as long as it has not looked: it is large. */
    private volatile @Nullable Sampler sampler;

    final Set<TrackedReference> tracked = ConcurrentHashMap.newKeySet();
    final ReferenceQueue<LeakTracker> queue = new ReferenceQueue<>();
    private final LeakLog log;
    final Task task;

    /** Whether the background writes events and messages. */
    private volatile boolean telling;

    /** What was counted and not told yet. */
    private final Queue<Untold> untold = new ConcurrentLinkedQueue<>();

    /** What leaked at each place; of the first so many places. */
    final Map<Site, LeakRecord> sites = new HashMap<>();

    long leaked;
    long leakedBytes;

    record Site(Kind kind, List<String> openedAt) {}

    /** A leak, and which one in all. */
    private record Untold(LeakRecord leak, long number) {}

    /**
     * A detector that looks for nothing yet.
     *
     * @param poolName how messages call the pool
     * @param background reports leaks
     */
    public LeakDetector(String poolName, Background background) {
        this.poolName = poolName;
        this.log = new LeakLog(poolName);
        this.task = background.task(this, PERIOD_NANOS);
    }

    /**
     * Looks so closely at what is opened from now on.
     *
     * @param wanted whether it looks at all: at pages and heaps, and some arenas
     * @param everything whether at all arenas and blocks, too
     */
    public synchronized void set(boolean wanted, boolean everything) {
        Sampler known = sampler;
        if (wanted) {
            all = everything;
            if (known == null) {
                known = new Sampler(this);
                LeakExit.add(this);
                sampler = known;
            }
        }
        on = wanted;
        if (known != null) {
            known.restart();
        }
    }

    /** Whether it looks at anything that is opened now. */
    public boolean isOn() {
        return on;
    }

    /** Whether it looks at all of it. */
    public boolean isAll() {
        return on && all;
    }

    /** Whether it looks, or has done so: else nothing was found. */
    public boolean hasLooked() {
        return sampler != null;
    }

    /** Chooses which arenas are tracked; null if none is. */
    public @Nullable Sampler sampler() {
        return on ? sampler : null;
    }

    /** Tracks a page or a heap that is about to be opened, and will hold the tracker. */
    public @Nullable LeakTracker track(Kind kind) {
        return on ? track(kind, Trace.here()) : null;
    }

    /** Tracks what is about to be opened, and will hold the tracker. */
    LeakTracker track(Kind kind, Trace openedAt) {
        LeakTracker tracker = new LeakTracker(this, kind, openedAt);
        tracked.add(tracker.reference);
        task.wake();
        return tracker;
    }

    /** Counts and reports leaks that somebody else has found; never fails, but for an error. */
    public void report(List<LeakRecord> leaks) {
        for (LeakRecord leak : leaks) {
            synchronized (sites) {
                count(leak);
            }
        }
        if (!leaks.isEmpty()) {
            task.wake();
        }
    }

    /** Reports the leaks since the last tick; returns whether there is more to do. */
    @Override
    public boolean run() {
        count();
        telling = true;
        try {
            for (Untold each = untold.poll(); each != null; each = untold.poll()) {
                tell(each);
            }
            warn(log.suppressed(leaked(), all, System.nanoTime()));
        } finally {
            telling = false;
        }
        Sampler known = sampler;
        boolean more = !all && known != null && known.pull();
        return more || !tracked.isEmpty() || log.isBehind();
    }

    private void tell(Untold found) {
        LeakRecord leak = found.leak();
        Events.leak(
                Printable.of(poolName),
                leak.kind().toString(),
                leak.bytes(),
                leak.thread(),
                String.join("\n", leak.openedAt()));
        warn(log.message(leak, found.number(), all, System.nanoTime()));
    }

    /**
     * The end of the JVM.
     *
     * @return what was found and not said yet
     */
    List<String> end() {
        countCleared();
        List<String> messages = new ArrayList<>();
        for (Untold each = untold.poll(); each != null; each = untold.poll()) {
            add(messages, log.message(each.leak(), each.number(), all, System.nanoTime()));
        }
        awaitTold(); // what the background has taken is in the log after that, or suppressed
        add(messages, log.rest(leaked(), all, System.nanoTime()));
        return messages;
    }

    private static void add(List<String> messages, @Nullable String message) {
        if (message != null) {
            messages.add(message);
        }
    }

    /** Waits until the background has told what it is about to tell, but not for ever. */
    private void awaitTold() {
        long begin = System.nanoTime();
        while (telling && System.nanoTime() - begin < PATIENCE_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Counts what the collector has enqueued. */
    private void count() {
        synchronized (sites) {
            for (Reference<?> found = queue.poll(); found != null; found = queue.poll()) {
                count((TrackedReference) found);
            }
        }
    }

    /** Counts what the collector has found, even if that is not enqueued yet. Looks at each. */
    public void countCleared() {
        synchronized (sites) {
            for (TrackedReference each : tracked) {
                if (each.isCleared()) {
                    count(each);
                }
            }
        }
    }

    private void count(TrackedReference found) {
        boolean leaks = tracked.remove(found) && !found.closed;
        if (leaks && (found.scopeGiven || found.bytes() > 0)) { // else nothing is lost with it
            Trace at = found.openedAt;
            count(new LeakRecord(found.kind, 1, found.bytes(), at.thread(), at.lines()));
        }
    }

    private void count(LeakRecord leak) {
        Site site = new Site(leak.kind(), leak.openedAt());
        if (sites.containsKey(site) || sites.size() < SITES_MAX) {
            LeakRecord once =
                    new LeakRecord(leak.kind(), 1, leak.bytes(), leak.thread(), leak.openedAt());
            sites.merge(site, once, (known, one) -> one.plus(known));
        }
        untold.add(new Untold(leak, leaked + 1));
        leakedBytes += leak.bytes();
        leaked++;
    }

    static void warn(@Nullable String message) {
        try {
            if (message != null) {
                System.getLogger("io.polder").log(Level.WARNING, message);
            }
        } catch (Throwable ignored) {
            // The logger is somebody else's; the leak is counted
        }
    }

    /** Of so many arenas about one is tracked at present. */
    public int oneIn() {
        Sampler known = sampler;
        return all || known == null ? 1 : known.oneIn();
    }

    /** How many owners are tracked now. */
    public int tracked() {
        count();
        return tracked.size();
    }

    /** How many leaks there were. */
    public long leaked() {
        synchronized (sites) {
            count();
            return leaked;
        }
    }

    /** What those have. */
    public long leakedBytes() {
        synchronized (sites) {
            count();
            return leakedBytes;
        }
    }

    /** A record for each place that leaked, the one with the most leaks first; not of all. */
    public List<LeakRecord> sites() {
        synchronized (sites) {
            count();
            List<LeakRecord> found = new ArrayList<>(sites.values());
            found.sort((one, other) -> Long.compare(other.count(), one.count()));
            return found;
        }
    }
}
