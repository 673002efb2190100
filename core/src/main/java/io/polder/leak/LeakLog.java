package io.polder.leak;

import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

/**
 * Writes messages about leaks, at most one in a while: what leaks does so often, and always from
 * the same place. Messages in between are suppressed, and counted. Blocks that a closed pool left
 * are found all at once, one leak for each place: of those some more are told.
 *
 * <p>Thread-safe: guarded by its monitor, in which nothing but text is made.
 */
final class LeakLog {
    /** Guessed: anyone who looks sees a message, and there is no flood. */
    static final long PAUSE_NANOS = 10_000_000_000L;

    /** So many places that left blocks are told of in a while: guessed, a few screens. */
    static final int PLACES_MAX = 16;

    private final String poolName;
    private boolean warned;

    /** How many places that left blocks were told of in this while. */
    private int places;

    private long lastNanos;
    private long suppressed;

    /** The last one that was suppressed; null if none is. */
    private @Nullable LeakRecord suppressedLast;

    LeakLog(String poolName) {
        this.poolName = poolName;
    }

    /**
     * The message about a leak.
     *
     * @param count how many leaks were found so far
     * @param all whether all arenas are tracked
     * @param nowNanos what {@link System#nanoTime} says
     * @return what is to be logged; null if it is suppressed
     */
    synchronized @Nullable String message(LeakRecord leak, long count, boolean all, long nowNanos) {
        suppressed++;
        suppressedLast = leak; // until there is a message, which may fail
        boolean early = warned && nowNanos - lastNanos < PAUSE_NANOS;
        if (early && (leak.kind() != Kind.BLOCKS || places == PLACES_MAX)) {
            return null;
        }
        String message = text(leak, count, all, suppressed - 1);
        places = (early ? places : 0) + (leak.kind() == Kind.BLOCKS ? 1 : 0);
        logged(nowNanos);
        return message;
    }

    /**
     * The message about those that were suppressed, once there was a pause; null if there are none,
     * or it is too early.
     *
     * @param count how many leaks were found so far
     * @param all whether all arenas are tracked
     * @param nowNanos what {@link System#nanoTime} says
     */
    synchronized @Nullable String suppressed(long count, boolean all, long nowNanos) {
        boolean early = warned && nowNanos - lastNanos < PAUSE_NANOS;
        return early ? null : rest(count, all, nowNanos);
    }

    /** The same, however early it is. */
    synchronized @Nullable String rest(long count, boolean all, long nowNanos) {
        LeakRecord last = suppressedLast;
        if (last == null) {
            return null;
        }
        String message = text(last, count, all, suppressed - 1);
        logged(nowNanos);
        return message;
    }

    private void logged(long nowNanos) {
        warned = true;
        lastNanos = nowNanos;
        suppressed = 0;
        suppressedLast = null;
    }

    /** Whether there is something to be logged later. */
    synchronized boolean isBehind() {
        return suppressedLast != null;
    }

    private String text(LeakRecord leak, long count, boolean all, long notLogged) {
        StringBuilder text = new StringBuilder(what(leak.kind()));
        text.append(": pool=").append(Printable.of(poolName));
        if (leak.kind() == Kind.BLOCKS) {
            text.append(", blocks=").append(leak.count());
        }
        text.append(", bytes=").append(leak.bytes());
        text.append(", thread=").append(Printable.of(leak.thread()));
        text.append(", leaksFound=").append(count);
        if (notLogged > 0) {
            text.append(", notLogged=").append(notLogged);
        }
        if (!all) {
            text.append(leak.kind() == Kind.BLOCKS ? ", blocksWatched" : ", arenasWatched");
            text.append("=some");
        }
        if (leak.bytes() == 0 && leak.kind() != Kind.BLOCKS) {
            text.append("\nIts scope was used: a mapped file, a library or a cleanup action may");
            text.append(" hang on it");
        }
        text.append('\n').append(begun(leak.kind())).append(':');
        for (String frame : leak.openedAt()) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }

    private static String what(Kind kind) {
        return kind == Kind.BLOCKS
                ? "blocks were not freed when their pool was closed"
                : "a " + kind + " was never closed, and nobody can do it any more";
    }

    private static String begun(Kind kind) {
        if (kind == Kind.BLOCKS) {
            return "They were allocated";
        }
        return kind == Kind.PAGE ? "It was allocated" : "It was opened";
    }
}
