package io.polder.arena;

import io.polder.leak.LeakTracker;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The groups of deferred arenas of one pool: the one that is joined now, those that wait for their
 * last member, and all that waits to be closed.
 *
 * <pre>{@code
 *   open() --> current --seal--> sealed --last member leaves--> ready --closer--> closed
 *                 ^                                               ^  |  a downcall holds it
 *                 +--- replaced when sealed                       +--+
 *
 *   unfinished --> beyond --> group --> ...       all that is not done yet, the latest first
 * }</pre>
 *
 * <p>What is ready is bounded: a thread that makes it more than {@link #READY_MAX_BYTES}
 * closes some itself, and so does one that makes any ready while others wait in
 * the queue for memory, and one that would get no memory otherwise. What another thread is closing
 * by then is waited for.
 *
 * <p><b>Errors.</b> Whatever will have to be closed is in the list before anybody uses it, and says
 * itself whether it is ready, and done. So no step of a close is lost: it is found at the next
 * look. A group that an error kept from being joined is found there as well, and closed. One for a
 * single member, who was never told of it, stays there, without memory.
 *
 * <p>Thread-safe, without locks: {@link #current} is replaced by compare-and-set, and a thread that
 * walks through the list while others add to it misses what they add.
 */
final class DeferredGroups {
    /**
     * What arenas may hold that wait for the background at one time. Each counts as a full group at
     * least, since each takes a handshake: so they are 64 at most.
     */
    static final long READY_MAX_BYTES = 64 * DeferredGroup.BYTES_MAX;

    /**
     * For so long a close is waited for: guessed, much longer than what takes no action of users.
     */
    private static final long PATIENCE_NANOS = 1_000_000_000;

    /** And so often looked at: guessed. */
    private static final long LOOK_NANOS = 100_000;

    /** What a look may take: in what is beyond, the whole process may have stood still. Guessed. */
    private static final long LOOK_MAX_NANOS = 100_000_000;

    private final ChunkSource source;
    private final Runnable wakeBackground;

    /** What each group may have. */
    private final long groupBytes;

    private final AtomicReference<@Nullable DeferredGroup> current = new AtomicReference<>();

    /** What the list has that became ready since it was last looked at; estimated. */
    private final AtomicLong readyBytes = new AtomicLong();

    /** How many closes were ended. */
    final AtomicLong ended = new AtomicLong();

    /** A walk meets what a member has beyond its group before the group, which that may keep. */
    final Deque<DeferredGroup> unfinished = new ConcurrentLinkedDeque<>();

    /**
     * No group yet.
     *
     * @param source where memory comes from
     * @param wakeBackground makes the background call {@link #tick} soon; called often
     */
    DeferredGroups(ChunkSource source, Runnable wakeBackground) {
        this.source = source;
        this.wakeBackground = wakeBackground;
        this.groupBytes =
                Math.min(DeferredGroup.BYTES_MAX, source.limitBytes() / DeferredGroup.LIMIT_SHARE);
    }

    /**
     * Opens an arena of all threads whose close is deferred.
     *
     * @param tracker tracks leaks of it; null if it is not
     */
    Arena open(@Nullable LeakTracker tracker) {
        while (true) {
            DeferredGroup group = current.get();
            if (group != null) {
                DeferredArena arena = new DeferredArena(this, group, tracker);
                if (group.join()) {
                    return arena;
                }
            }
            DeferredGroup next = new DeferredGroup(new SharedArena(source, null), groupBytes);
            unfinished.addFirst(next);
            if (!current.compareAndSet(group, next)) {
                boolean _ = unfinished.remove(next); // another thread was first: nobody joins it
            }
        }
    }

    /** An arena for one member, for what its group has no room for. */
    DeferredGroup openBeyond() {
        DeferredGroup beyond = DeferredGroup.ofOne(new SharedArena(source, null));
        unfinished.addFirst(beyond);
        return beyond;
    }

    /**
     * A member of a group was closed: so the group should be, sooner or later.
     *
     * @param bytes what arenas hold that became ready by that, or may have, as {@link
     *     #READY_MAX_BYTES} says
     */
    void left(long bytes) {
        wakeBackground.run(); // first: what follows may wait, or end with an error
        if (readyBytes.addAndGet(bytes) > READY_MAX_BYTES || source.pages.isWaitedFor()) {
            closePending();
        }
    }

    /**
     * Seals the group that is joined now, if it has closed members, and closes what is ready.
     *
     * @return whether it must be called again: something may still have to be closed
     */
    boolean tick() {
        DeferredGroup group = current.get();
        closePending();
        DeferredGroup next = current.get();
        return hasReady() || (next != null && next != group && next.hasClosedMembers);
    }

    /**
     * Closes what is ready, and with it the current group if no member of that is open. Runs
     * actions of users: to be called with no lock held.
     *
     * @return how many arenas were closed, by this thread or another one
     */
    int closePending() {
        DeferredGroup group = current.get();
        if (group != null && group.hasClosedMembers) {
            group.seal();
        }
        readyBytes.set(0);
        int closed = 0;
        for (Iterator<DeferredGroup> all = unfinished.iterator(); all.hasNext(); ) {
            DeferredGroup each = all.next();
            if (each != current.get()) {
                each.seal();
            }
            tell(each.tryClose(ended));
            if (each.isDone()) {
                all.remove();
                closed++;
            }
        }
        return closed;
    }

    /**
     * Waits until none is being closed by another thread, or one was ended. Each is waited for as
     * long as the patience goes: it may be in an action of users, which waits for this thread. To
     * be called with no lock held; the interrupt of a thread stays for later.
     *
     * @param endedBefore how many were ended before the caller's last attempt
     * @return whether there was anything to wait for, or one was ended since: another attempt is
     *     worth it
     */
    boolean awaitClosing(long endedBefore) {
        boolean waited = false;
        boolean interrupted = false;
        long stoodStill = 0;
        while (ended.get() == endedBefore && isAnyBeingClosed(PATIENCE_NANOS + stoodStill)) {
            waited = true;
            interrupted |= Thread.interrupted();
            long before = System.nanoTime();
            LockSupport.parkNanos(this, LOOK_NANOS);
            stoodStill += Math.max(0, System.nanoTime() - before - LOOK_MAX_NANOS);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return waited || ended.get() != endedBefore;
    }

    private boolean isAnyBeingClosed(long forNanos) {
        for (DeferredGroup each : unfinished) {
            if (each.isBeingClosed(forNanos)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasReady() {
        for (DeferredGroup each : unfinished) {
            if (each.isReady() && !each.isDone()) {
                return true;
            }
        }
        return false;
    }

    /** Logs it, if any. What the logger throws is not for the thread that happened to close. */
    private static void tell(@Nullable Throwable failure) {
        if (failure == null) {
            return;
        }
        try {
            System.getLogger("io.polder")
                    .log(Level.WARNING, "a cleanup action of a deferred arena failed", failure);
        } catch (Throwable lost) {
            // A line less.
        }
    }

    /** Lets nobody join the current group any more, and closes what can be closed. */
    void close() {
        DeferredGroup group = current.get();
        if (group != null) {
            group.seal();
        }
        tick();
    }

    /** How many groups have open members, or may still get some. */
    int count() {
        int open = 0;
        for (DeferredGroup each : unfinished) { // no stream: a close asks, see ClassPreloader
            open += each.bytesMax > 0 && !each.isReady() ? 1 : 0;
        }
        return open;
    }

    /** What closed arenas had, and waits for others of their group. */
    long retainedBytes() {
        return unfinished.stream()
                .mapToLong(each -> each.isReady() ? 0 : each.retainedBytes.get())
                .sum();
    }
}
