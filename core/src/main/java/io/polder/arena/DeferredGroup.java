package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Arenas that share one lifetime, so that one handshake with all threads closes all of them, later
 * and by another thread than their users'.
 *
 * <pre>{@code
 *   state   | SEALED |  members that are open  |
 *               62    61                      0
 *
 *   open --seal--> sealed, members open --last leaves-->  ready  --claimed-->  closing --> released
 *                                                          ^                     |
 *                                                          +---------------------+
 *                                              a downcall holds it, or an error ended the close
 * }</pre>
 *
 * <p>Members join until it is sealed: when more than half of the memory that it may have is
 * claimed and a member needs more than is left, or when it is older than a tick. Then it only
 * shrinks, and once it has no members it is ready, which its state says: nobody has to hand it
 * over. A member that is never closed keeps the memory of the others, so that memory is bounded:
 * all members together get {@link #bytesMax}. What a member needs beyond that it gets from a group
 * of its own, which is sealed from the beginning and has no bound.
 *
 * <p>Thread-safe, without locks of its own: {@link #state} says whether it is ready, and {@link
 * #closer} who may close it.
 */
final class DeferredGroup {
    /** The most that one forgotten member can keep from being given back. */
    static final long BYTES_MAX = 1 << 20;

    /** And no more than such a part of what the pool may have: so what it retains is little. */
    static final int LIMIT_SHARE = 16;

    private static final long SEALED = 1L << 62;

    final SharedArena arena;
    private final AtomicBoolean hasActions = new AtomicBoolean();
    private final AtomicLong state = new AtomicLong();
    final AtomicLong chargedBytes = new AtomicLong();

    /** What closed members had, and waits for the others. */
    final AtomicLong retainedBytes = new AtomicLong();

    /** Whether any member was closed, or is about to be. */
    volatile boolean hasClosedMembers;

    /**
     * What all members together get of its memory; 0 if it is of one member, for what the group of
     * that has no room for.
     */
    final long bytesMax;

    /**
     * What its only member leaves when this is closed, since segments in it may have memory from
     * there; null if the member has left, or does so itself. Written before this is ready, and then
     * by its closer.
     */
    @Nullable DeferredGroup keeps;

    /** Who is closing it; null if nobody is. */
    private final AtomicReference<@Nullable Closer> closer = new AtomicReference<>();

    /** A thread that closes a group, since some {@link System#nanoTime}. */
    private record Closer(Thread thread, long sinceNanos) {}

    /**
     * An open group without members.
     *
     * @param arena the lifetime and memory of all
     * @param bytesMax what all together get of that memory
     */
    DeferredGroup(SharedArena arena, long bytesMax) {
        this.arena = arena;
        this.bytesMax = bytesMax;
    }

    /** A sealed group with its only member. */
    static DeferredGroup ofOne(SharedArena arena) {
        DeferredGroup group = new DeferredGroup(arena, 0);
        group.state.setPlain(SEALED + 1);
        return group;
    }

    /** Whether it is to be closed now. */
    boolean isReady() {
        return state.get() == SEALED;
    }

    /** Adds a member; returns false if the group is sealed. */
    boolean join() {
        while (true) {
            long before = state.get();
            if ((before & SEALED) != 0) {
                return false;
            }
            if (state.compareAndSet(before, before + 1)) {
                return true;
            }
        }
    }

    /** Removes a member: its last step, by one atomic change. */
    void leave() {
        hasClosedMembers = true;
        state.decrementAndGet();
    }

    /** Removes the only member of a group of one; again does nothing. */
    void leaveOne() {
        state.set(SEALED);
    }

    /**
     * Gives the lifetime's cleanup actions to one member, for which nobody joins any more.
     *
     * @return whether it is the first that asks
     */
    boolean claimActions() {
        if (!hasActions.compareAndSet(false, true)) {
            return false;
        }
        seal();
        return true;
    }

    /** Lets nobody join any more. */
    void seal() {
        while (true) {
            long before = state.get();
            if ((before & SEALED) != 0 || state.compareAndSet(before, before | SEALED)) {
                return;
            }
        }
    }

    /**
     * Lets nobody join any more if more than half is claimed, which makes the group worth the
     * handshake of a lifetime of its own. A claim up to that, which fits a new group as well, is
     * never refused by a group that has claimed less; a larger one gets an arena of its own without
     * using up a group each time. A benign race: a claim of another's that is about to be taken
     * back counts, and the group is sealed somewhat early.
     */
    void sealIfWorthClosing() {
        if (chargedBytes.get() > bytesMax / 2) {
            seal();
        }
    }

    /** Claims a part of the group's memory; returns false if less is left. */
    boolean charge(long bytes) {
        if (bytes > bytesMax || chargedBytes.addAndGet(bytes) > bytesMax) {
            if (bytes <= bytesMax) {
                chargedBytes.addAndGet(-bytes);
            }
            return false;
        }
        return true;
    }

    /** Whether all it had is given back, and its member has left the group that it kept. */
    boolean isDone() {
        return isReady() && arena.isReleased() && keeps == null;
    }

    /**
     * Closes it if it is ready and nobody else does.
     *
     * @param ended counts the closes that were ended; this one before nobody closes it any more
     * @return null, or what an action of a user threw
     */
    @Nullable Throwable tryClose(AtomicLong ended) {
        if (!isReady()
                || isDone()
                || !closer.compareAndSet(
                        null, new Closer(Thread.currentThread(), System.nanoTime()))) {
            return null;
        }
        try {
            Throwable thrown = arena.tryClose();
            if (arena.isReleased()) {
                DeferredGroup group = keeps;
                if (group != null) {
                    group.leave();
                    keeps = null;
                }
                ended.incrementAndGet();
            }
            return thrown;
        } finally {
            closer.set(null);
        }
    }

    /** Whether another thread is closing it, and has not been for so long. */
    boolean isBeingClosed(long forNanos) {
        Closer by = closer.get();
        return by != null
                && by.thread != Thread.currentThread()
                && System.nanoTime() - by.sinceNanos < forNanos;
    }
}
