package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A shared arena that is closed later, by somebody who is not its user.
 *
 * <pre>{@code
 *   open  --ready-->  ready  --claimed by one closer-->  closing  --> released
 *                       ^                                   |
 *                       +------- a downcall holds it, or the close was cut off
 * }</pre>
 *
 * <p>It is linked in the list of its {@link DeferredGroups} from its beginning on, so nothing has
 * to be made, or handed over, when it becomes ready: that is one store.
 *
 * <p>Thread-safe. {@link #next} and {@link #linked} are guarded by the list.
 */
abstract sealed class DeferredClose permits DeferredGroup, OverflowArena {
    private static final VarHandle CLOSER;

    static {
        try {
            CLOSER =
                    MethodHandles.lookup()
                            .findVarHandle(DeferredClose.class, "closer", Thread.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final SharedArena arena;

    /** The next in the list; null at its end. */
    @Nullable DeferredClose next;

    /** Whether it is in the list, or was. */
    boolean linked;

    /** Who is closing it; null if nobody is. */
    private volatile @Nullable Thread closer;

    /** Since when, by {@link System#nanoTime}; written by the closer. */
    private volatile long sinceNanos;

    /** Not linked yet. */
    DeferredClose(SharedArena arena) {
        this.arena = arena;
    }

    SharedArena arena() {
        return arena;
    }

    /** Whether it is to be closed now. */
    abstract boolean isReady();

    /**
     * Does what follows when it is released; again does nothing. To be called with the list locked.
     *
     * @return whether another one became ready by that
     */
    boolean releasedLocked() {
        return false;
    }

    /** Whether all it had is given back. */
    boolean isReleased() {
        return arena.isReleased();
    }

    /**
     * Closes it if it is ready and nobody else does.
     *
     * @param ended counts the closes that were ended; this one before nobody closes it any more
     * @return null, or what an action of a user threw
     */
    @Nullable Throwable tryClose(AtomicLong ended) {
        if (!isReady() || isReleased() || !claim()) {
            return null;
        }
        try {
            Throwable thrown = arena.tryClose();
            if (arena.isReleased()) {
                ended.incrementAndGet();
            }
            return thrown;
        } finally {
            closer = null;
        }
    }

    private boolean claim() {
        if (closer != null) {
            return false;
        }
        sinceNanos = System.nanoTime(); // of two that come here, either time does
        return CLOSER.compareAndSet(this, null, Thread.currentThread());
    }

    /** Whether another thread is closing it, and has not been for so long. */
    boolean isBeingClosed(long forNanos) {
        Thread by = closer;
        return by != null
                && by != Thread.currentThread()
                && System.nanoTime() - sinceNanos < forNanos;
    }
}
