package io.polder.event;

import jdk.jfr.Event;

import org.jspecify.annotations.Nullable;

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
 * <p><b>Failure.</b> An event that cannot be kept or recorded is lost; what it tells of has
 * happened. A hold whose end was cut off, by a stack that overflowed, keeps a bounded number of the
 * thread's later events, and they are lost.
 */
public final class EventHold implements AutoCloseable {
    private static final ThreadLocal<@Nullable EventHold> CURRENT = new ThreadLocal<>();

    /** More than a thread makes under one lock; guessed. */
    private static final int HELD_MAX = 1000;

    private final List<Event> held = new ArrayList<>();

    private EventHold() {}

    /**
     * Keeps events of this thread back until it is closed; null if nothing was recorded in this JVM
     * yet, or they are kept back already.
     */
    public static @Nullable EventHold begin() {
        if (!Events.inUse() || CURRENT.get() != null) {
            return null;
        }
        Events.load();
        EventHold hold = new EventHold();
        CURRENT.set(hold);
        return hold;
    }

    /** Records an event that has ended, now or when the thread holds no lock. */
    public static void commit(Event event) {
        EventHold hold = CURRENT.get();
        if (hold == null) {
            event.commit();
        } else if (hold.held.size() < HELD_MAX) {
            hold.held.add(event);
        }
    }

    @Override
    public void close() {
        CURRENT.remove();
        for (Event event : held) {
            event.commit();
        }
    }
}
