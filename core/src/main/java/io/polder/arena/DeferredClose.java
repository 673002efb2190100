package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

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
abstract sealed class DeferredClose permits DeferredGroup, DeferredBeyond {
    private static final VarHandle CLAIMED;

    static {
        try {
            CLAIMED =
                    MethodHandles.lookup()
                            .findVarHandle(DeferredClose.class, "claimed", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final SharedArena arena;

    /** The next in the list; null at its end. */
    @Nullable DeferredClose next;

    /** Whether it is in the list, or was. */
    boolean linked;

    /** Whether somebody is closing it. */
    @SuppressWarnings("UnusedVariable") // through CLAIMED
    private volatile boolean claimed;

    /** Not linked yet. */
    DeferredClose(SharedArena arena) {
        this.arena = arena;
    }

    SharedArena arena() {
        return arena;
    }

    /** Whether it is to be closed now. */
    abstract boolean isReady();

    /** Whether all it had is given back. */
    boolean isReleased() {
        return arena.isReleased();
    }

    /**
     * Closes it if it is ready and nobody else does.
     *
     * @return null, or what an action of a user threw
     */
    @Nullable Throwable tryClose() {
        if (!isReady() || isReleased() || !CLAIMED.compareAndSet(this, false, true)) {
            return null;
        }
        try {
            return arena.tryClose();
        } finally {
            claimed = false;
        }
    }
}
