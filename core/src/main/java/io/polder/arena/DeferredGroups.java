package io.polder.arena;

import io.polder.leak.Lease;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The groups of deferred arenas of one pool: the one that is joined now, those that wait for their
 * last member, and the arenas that wait to be closed in the background.
 *
 * <pre>{@code
 *   open() --> current --seal--> sealed --last member leaves--> pending --background--> closed
 *                 ^                                                |  a downcall holds it
 *                 +--- replaced when sealed                        +----> pending, next tick
 * }</pre>
 *
 * <p>What is pending is bounded: whoever adds more than {@link #PENDING_MAX} closes one himself.
 *
 * <p>Thread-safe, without locks of its own; {@link #current} is replaced by compare-and-set.
 */
final class DeferredGroups {
    /** Arenas that may wait for the background at one time; each up to a group's memory. */
    static final int PENDING_MAX = 64;

    private final ChunkSource source;
    private final Runnable wakeBackground;
    private final AtomicReference<@Nullable DeferredGroup> current = new AtomicReference<>();
    private final Set<DeferredGroup> alive = ConcurrentHashMap.newKeySet();
    private final Queue<SharedArena> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pendingCount = new AtomicInteger();

    /**
     * No group yet.
     *
     * @param source where memory comes from
     * @param wakeBackground makes the background call {@link #tick} soon; called often
     */
    DeferredGroups(ChunkSource source, Runnable wakeBackground) {
        this.source = source;
        this.wakeBackground = wakeBackground;
    }

    /**
     * Opens an arena of all threads whose close is deferred.
     *
     * @param lease what is watched in place of it; null if it is not
     */
    Arena open(@Nullable Lease lease) {
        while (true) {
            DeferredGroup group = current.get();
            if (group != null && group.join()) {
                return new DeferredArena(this, group, lease);
            }
            replace(group);
        }
    }

    private void replace(@Nullable DeferredGroup sealed) {
        DeferredGroup next = new DeferredGroup(new SharedArena(source), this::empty);
        alive.add(next);
        if (!current.compareAndSet(sealed, next)) {
            next.seal(); // another thread was first
        }
    }

    /** The last member of a sealed group is gone. */
    private void empty(DeferredGroup group) {
        alive.remove(group);
        closeLater(group.arena());
    }

    /** An arena for one member, for what its group has no room for. */
    SharedArena openBeyond() {
        return new SharedArena(source);
    }

    /** Closes an arena in the background, or here if too many wait already. */
    void closeLater(SharedArena arena) {
        pending.add(arena);
        if (pendingCount.incrementAndGet() > PENDING_MAX) {
            closeOne();
        }
        wakeBackground.run();
    }

    /**
     * Seals the group that is joined now, if it has closed members, and closes what is pending.
     *
     * @return whether it must be called again: something may still have to be closed
     */
    boolean tick() {
        DeferredGroup group = current.get();
        if (group != null && group.closedMembers() > 0) {
            group.seal();
        }
        for (int i = pendingCount.get(); i > 0; i--) {
            closeOne();
        }
        DeferredGroup next = current.get();
        return !pending.isEmpty() || (next != null && next != group && next.closedMembers() > 0);
    }

    private void closeOne() {
        SharedArena arena = pending.poll();
        if (arena == null) {
            return;
        }
        try {
            arena.close();
        } catch (RuntimeException | Error failure) { // a user's, who is not the caller
            if (!arena.scope().isAlive()) {
                System.getLogger("io.polder")
                        .log(Level.WARNING, "a cleanup action of a deferred arena failed", failure);
            } // otherwise a downcall holds it
        } finally {
            if (arena.scope().isAlive()) {
                pending.add(arena);
            } else {
                pendingCount.decrementAndGet();
            }
        }
    }

    /** A member of a group was closed, so the group should be, sooner or later. */
    void left() {
        wakeBackground.run();
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
        return alive.size();
    }

    /** What closed arenas had, and waits for others of their group. */
    long retainedBytes() {
        return alive.stream().mapToLong(DeferredGroup::retainedBytes).sum();
    }
}
