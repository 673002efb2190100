package io.polder.event;

import jdk.jfr.Event;

import org.jspecify.annotations.Nullable;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the events of one thread back while it holds a lock, and records them afterwards: the
 * recorder has locks of its own, and asks Polder for statistics while it holds some of them.
 *
 * <pre>{@code
 *   try (EventHold _ = EventHold.begin()) {     null until something is recorded first
 *       synchronized (lock) {
 *           ...                                 events end here, with their own times
 *       }
 *   }                                           and are recorded here
 * }</pre>
 *
 * <p>Holds nest; the outermost records. Confined to its thread.
 *
 * <p>Failure: what is thrown here costs events, and never the operation that they are about. The
 * thread refers to its hold weakly, the frame that began it strongly: so a hold whose {@link
 * #close} was cut short at its very entry ends with the next garbage collection.
 */
public final class EventHold implements AutoCloseable {
    private static final ThreadLocal<@Nullable WeakReference<EventHold>> CURRENT =
            new ThreadLocal<>();

    private final List<Event> held = new ArrayList<>();

    private EventHold() {}

    /**
     * Keeps events of this thread back until it is closed; null if nothing was recorded in this JVM
     * yet, or they are kept back already.
     */
    public static @Nullable EventHold begin() {
        try {
            if (!Events.inUse() || current() != null) {
                return null;
            }
            Events.Beginning.load();
            EventHold hold = new EventHold();
            CURRENT.set(new WeakReference<>(hold));
            return hold;
        } catch (Throwable notHeld) {
            return null;
        }
    }

    private static @Nullable EventHold current() {
        WeakReference<EventHold> reference = CURRENT.get();
        return reference == null ? null : reference.get();
    }

    /** Records an event that has ended, now or when the thread holds no lock. */
    public static void commit(Event event) {
        try {
            EventHold hold = current();
            if (hold == null) {
                event.commit();
            } else {
                hold.held.add(event);
            }
        } catch (Throwable lost) {
            // An event less
        }
    }

    @Override
    public void close() {
        try {
            CURRENT.remove();
            for (Event event : held) {
                event.commit();
            }
        } catch (Throwable lost) {
            // Some events less
        } finally {
            Reference.reachabilityFence(this); // until here the thread must find it
        }
    }
}
