package io.polder.block;

import io.polder.memory.FieldHandle;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * Who may touch what a thread has: the thread itself without a lock, and anybody else after it was
 * revoked.
 *
 * <p>A thread that holds the monitor may, and no other one but the thread that it is <i>biased</i>
 * to: that one may as well without the monitor, between {@link #enter} and {@link #leave}, and pays
 * two stores and a load for it, no atomic instruction.
 *
 * <pre>{@code
 *   owner                              who holds the monitor: revoke
 *   inside = 1                         biased = 0
 *   order for the compiler             fence of all threads
 *   biased == my id ? go on : leave    wait until inside == 0
 *   ...
 *   inside = 0
 * }</pre>
 *
 * <p>One of the two sees the other's store, as with gates. An owner that finds itself revoked takes
 * the monitor, and is biased again when it leaves it. So a trim reaches what a thread has that
 * sleeps. Virtual threads are never biased to, and share the owner that their id names; so do
 * threads whose entry in the table of {@link ThreadHeaps} is that of another living one.
 *
 * <p><b>When the thread has ended</b>, the next new thread takes all of it over; meanwhile others
 * take what they need of it, and ticks and trims look after it like any other. {@link ThreadHeaps}
 * sees to that.
 *
 * <p><b>Errors.</b> An owner that an error meets inside stays <i>inside</i> until its next call,
 * and cannot be revoked until then. Where the fence fails, nobody reaches what an owner has without
 * another one, which the next revoker makes.
 */
abstract class BiasedOwner extends InsideFlag {
    private static final VarHandle BIASED =
            FieldHandle.of(MethodHandles.lookup(), "biased", long.class);
    private static final VarHandle INSIDE =
            FieldHandle.of(MethodHandles.lookup(), "inside", long.class);
    private static final VarHandle CLAIMED =
            FieldHandle.of(MethodHandles.lookup(), "claimed", long.class);

    /** The id of an owner that threads share; no thread has it. */
    static final long SHARED = -1;

    /** So often is looked whether an owner has left; it is inside for nanoseconds. Guessed. */
    private static final int LOOKS = 10_000;

    /** So often again after a pause each: it has lost its processor, for some turns of others. */
    private static final int PAUSES = 100;

    private static final long PAUSE_NANOS = 100_000;

    /** After so many looks, others may run: the owner may wait for a processor. */
    private static final int LOOKS_IN_A_ROW = 1_000;

    private final @Nullable BlockSpace space;

    /** The {@link Thread#threadId()} that may enter without the monitor; 0 if none may. */
    private long biased;

    /**
     * Which fence of the space must have ended since it was revoked, or a later one: until then
     * {@link #inside} says nothing. Zero if none must.
     */
    private long owedFence;

    /** Whether it was waited for in vain since it was inside last: that is not done again. */
    private boolean cutShort;

    /** Whose it is. Written with the monitor; the thread itself needs none to read it. */
    long threadId;

    private @Nullable WeakReference<Thread> thread;

    /**
     * The thread that takes the monitor or has it, where threads share this: others take another
     * one. A virtual thread that waits has its turn after all others, which take memory meanwhile.
     * A hint: the thread it names sets it to 0, and so does each tick.
     */
    long claimed;

    /** Of nobody yet; without a space it stays so. */
    BiasedOwner(@Nullable BlockSpace space) {
        this.space = space;
    }

    final BlockSpace space() {
        return Objects.requireNonNull(space);
    }

    // The owner, inside

    /**
     * Lets the running thread inside, if it is biased to it: then {@link #leave} must follow.
     *
     * @param id the thread's
     */
    final boolean enter(long id) {
        if (biased != id) {
            return false;
        }
        INSIDE.setOpaque(this, 1L);
        VarHandle.acquireFence(); // the compiler's order; the processor's is up to who revokes
        if ((long) BIASED.getOpaque(this) == id) {
            return true;
        }
        leave();
        return false;
    }

    final void leave() {
        INSIDE.setRelease(this, 0L);
    }

    /** Claims it for a thread, unless another one has. */
    final boolean claim(long id) {
        return CLAIMED.compareAndSet(this, 0L, id);
    }

    // With the monitor

    /** Whose it is from now on. Who had it before has ended, wherever that was. */
    final void belongToLocked(long id, @Nullable WeakReference<Thread> its) {
        biased = 0;
        inside = 0;
        cutShort = false;
        owedFence = 0;
        thread = its;
        threadId = id;
    }

    /**
     * Lets the owner in without the monitor from now on, unless the space is closed: then each free
     * is to tell of itself. To be called by itself: so it is not inside, though an error may have
     * cut it short there.
     */
    final void biasLocked() {
        inside = 0;
        cutShort = false;
        owedFence = 0;
        if (biased != threadId && threadId != SHARED && !space().closed) {
            BIASED.setOpaque(this, threadId);
        }
    }

    /**
     * Has its next call take the monitor, and wake who looks after it. Who is to revoke several
     * asks all of them first: then the fence of one is that of all.
     *
     * @return whether it called anything since that was so last
     */
    final boolean askLocked() {
        if (biased == 0) {
            return false;
        }
        owedFence = Long.MAX_VALUE; // first: until there was one, also for who comes next
        BIASED.setVolatile(this, 0L); // before it is looked which fence comes after it
        owedFence = space().fences.next();
        return true;
    }

    /** Whether its thread has run for the last time. */
    final boolean ended() {
        WeakReference<Thread> its = thread;
        if (its == null) {
            return false;
        }
        Thread owner = its.get();
        return owner == null || !owner.isAlive();
    }

    /**
     * Takes it for the caller alone, until the monitor is left. An owner that is inside takes no
     * lock, so it can be waited for.
     *
     * @return false if the owner is inside for too long: an error has cut it short there
     */
    @SuppressWarnings("ThreadPriorityCheck") // the owner may wait for a processor
    final boolean revokeLocked() {
        if (threadId == Thread.currentThread().threadId() || ended()) {
            biased = 0;
            inside = 0;
            owedFence = 0;
            return true;
        }
        boolean _ = askLocked();
        if (owedFence != 0) {
            space().fences.await(owedFence);
            owedFence = 0;
        }
        boolean interrupted = false;
        try {
            for (int look = 0; (long) INSIDE.getAcquire(this) != 0; look++) {
                if (look == LOOKS + (cutShort ? 0 : PAUSES)) {
                    cutShort = true;
                    return false;
                }
                if (look >= LOOKS) {
                    interrupted |= Thread.interrupted(); // or it would not wait
                    LockSupport.parkNanos(this, PAUSE_NANOS);
                } else if (look % LOOKS_IN_A_ROW == 0) {
                    Thread.yield();
                } else {
                    Thread.onSpinWait();
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
