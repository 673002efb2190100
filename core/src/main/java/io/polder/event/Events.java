package io.polder.event;

import jdk.jfr.Event;

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
 * jdk.jfr}, or its recorder was never used, no class of an event is loaded.
 *
 * <p><b>Failure.</b> Where the first use of an event was cut off, for want of stack or of Java
 * heap, the JVM gives up on its class: then nothing is recorded, and nothing else fails.
 *
 * <p>Thread-safe; an event belongs to the thread that began it.
 */
public final class Events {
    /** Whether this JVM can record anything. */
    public static final boolean AVAILABLE = isAvailable();

    private Events() {}

    /** Without a lambda or a stream: see the package of system calls about the start. */
    private static boolean isAvailable() {
        for (Module module : ModuleLayer.boot().modules()) {
            if (module.getName().equals("jdk.jfr")) {
                return Events.class.getModule().canRead(module);
            }
        }
        return false;
    }

    /**
     * Whether somebody has recorded something since this JVM began. Until then no class of an event
     * may be initialised: that starts much of Flight Recorder, which takes longer than a first
     * arena.
     */
    public static boolean inUse() {
        return AVAILABLE && Recorder.exists();
    }

    /** Loaded only where there is Flight Recorder. */
    private static final class Recorder {
        static boolean exists() {
            return jdk.jfr.FlightRecorder.isInitialized();
        }
    }

    /** Loaded with the events, when one is begun, or a hold. */
    private static final class Beginning {
        static {
            CommitEvent _ = new CommitEvent();
            UncommitEvent _ = new UncommitEvent();
            PageAllocationEvent _ = new PageAllocationEvent();
        }

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

    /**
     * Initialises the classes of the events that are begun here, which Flight Recorder does with
     * locks of its own: to be called without a lock, and only if {@link #inUse}.
     */
    static void load() {
        try {
            Beginning.load();
        } catch (NoClassDefFoundError cutOff) {
            return; // nothing can be recorded
        }
    }

    /** Begins a commit; null if it is not recorded. */
    public static @Nullable CommitEvent commit() {
        try {
            return inUse() ? Beginning.commit() : null;
        } catch (NoClassDefFoundError cutOff) {
            return null;
        }
    }

    /** Begins giving memory back; null if it is not recorded. */
    public static @Nullable UncommitEvent uncommit() {
        try {
            return inUse() ? Beginning.uncommit() : null;
        } catch (NoClassDefFoundError cutOff) {
            return null;
        }
    }

    /** Begins taking a page; null if it is not recorded. */
    public static @Nullable PageAllocationEvent pageAllocation() {
        try {
            return inUse() ? Beginning.pageAllocation() : null;
        } catch (NoClassDefFoundError cutOff) {
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
        if (inUse()) {
            LeakEvent.record(pool, kind, bytes, thread, openedAt);
        }
    }
}
