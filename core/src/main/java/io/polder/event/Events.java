package io.polder.event;

import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;

import org.jspecify.annotations.Nullable;

/**
 * Begins events, if somebody records them.
 *
 * <pre>{@code
 *   CommitEvent event = Events.commit();      null, unless it is recorded
 *   ...                                       what takes time
 *   if (event != null) {
 *       event.finish(pool, part, bytes);      with no lock held, or within an EventHold
 *   }
 * }</pre>
 *
 * <p>While nobody records them, they cost the read of a field. Where the JVM has no module {@code
 * jdk.jfr}, the class loader does not show it, or its recorder was never used, no class of an event
 * is loaded.
 *
 * <p>Failure: what is thrown here, or when an event ends, costs the event, and never the operation
 * that it is about.
 *
 * <p>Thread-safe; an event belongs to the thread that began it.
 */
public final class Events {
    /** Whether this copy of the library can record anything. */
    public static final boolean AVAILABLE = JdkClass.isVisible("jdk.jfr.FlightRecorder");

    private Events() {}

    /**
     * Whether somebody has recorded something since this JVM began. Until then no class of an event
     * may be initialised: that starts much of Flight Recorder, which takes longer than a first
     * arena.
     */
    public static boolean inUse() {
        return AVAILABLE && FlightRecorder.isInitialized();
    }

    /** Loaded with the events, when one is begun, or a hold. */
    static final class Beginning {
        static {
            CommitEvent _ = new CommitEvent();
            UncommitEvent _ = new UncommitEvent();
            PageAllocationEvent _ = new PageAllocationEvent();
        }

        /** To be called without a lock, since Flight Recorder takes its own; only if in use. */
        static void load() {}

        static @Nullable CommitEvent commit() {
            return begun(new CommitEvent());
        }

        static @Nullable UncommitEvent uncommit() {
            return begun(new UncommitEvent());
        }

        static @Nullable PageAllocationEvent pageAllocation() {
            return begun(new PageAllocationEvent());
        }

        private static <E extends Event> @Nullable E begun(E event) {
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return event;
        }
    }

    /** Begins a commit; null if it is not recorded. */
    public static @Nullable CommitEvent commit() {
        try {
            return inUse() ? Beginning.commit() : null;
        } catch (Throwable notRecorded) {
            return null;
        }
    }

    /** Begins giving memory back; null if it is not recorded. */
    public static @Nullable UncommitEvent uncommit() {
        try {
            return inUse() ? Beginning.uncommit() : null;
        } catch (Throwable notRecorded) {
            return null;
        }
    }

    /** Begins taking a page; null if it is not recorded. */
    public static @Nullable PageAllocationEvent pageAllocation() {
        try {
            return inUse() ? Beginning.pageAllocation() : null;
        } catch (Throwable notRecorded) {
            return null;
        }
    }

    /**
     * Records a leak.
     *
     * @param pool the name of the pool
     * @param kind what leaked
     * @param bytes what it had
     * @param thread the name of the thread that opened it
     * @param openedAt the stack that did, a frame per line
     */
    public static void leak(String pool, String kind, long bytes, String thread, String openedAt) {
        try {
            if (inUse()) {
                LeakEvent.record(pool, kind, bytes, thread, openedAt);
            }
        } catch (Throwable lost) {
            // An event less
        }
    }
}
