package io.polder.leak;

import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

/**
 * What is said of leaks in the log: something at most once in a while, since what leaks does so
 * often, and always from the same place.
 *
 * <p>Confined to the background.
 */
final class LeakLog {
    /** Guessed: seen by who looks, and no flood. */
    static final long PAUSE_NANOS = 10_000_000_000L;

    private final String poolName;
    private final int oneIn;
    private boolean warned;
    private long lastNanos;
    private long unsaid;

    /** The last one that was not logged; null if all were. */
    private @Nullable Found unsaidLast;

    LeakLog(String poolName, int oneIn) {
        this.poolName = poolName;
        this.oneIn = oneIn;
    }

    /**
     * Decides whether to warn.
     *
     * @param count how many leaks were found so far
     * @param nowNanos what {@link System#nanoTime} says
     * @return what is to be logged; null if something was just now
     */
    @Nullable String tell(Found found, long count, long nowNanos) {
        unsaid++;
        unsaidLast = found; // until there is a message, which may fail
        if (warned && nowNanos - lastNanos < PAUSE_NANOS) {
            return null;
        }
        String message = message(found, count, unsaid - 1);
        said(nowNanos);
        return message;
    }

    /**
     * What is to be said of those that were not logged, once there was a pause; null if there is
     * nothing, or not yet.
     *
     * @param count how many leaks were found so far
     * @param nowNanos what {@link System#nanoTime} says
     */
    @Nullable String catchUp(long count, long nowNanos) {
        Found last = unsaidLast;
        if (last == null || (warned && nowNanos - lastNanos < PAUSE_NANOS)) {
            return null;
        }
        String message = message(last, count, unsaid - 1);
        said(nowNanos);
        return message;
    }

    private void said(long nowNanos) {
        warned = true;
        lastNanos = nowNanos;
        unsaid = 0;
        unsaidLast = null;
    }

    /** Whether there is something to be said later. */
    boolean isBehind() {
        return unsaidLast != null;
    }

    private String message(Found found, long count, long notLogged) {
        StringBuilder text = new StringBuilder();
        text.append("a ").append(found.kind()).append(" was never ");
        text.append(found.kind() == Kind.PAGE ? "given back" : "closed");
        text.append(", and nobody can do it any more: pool=").append(Printable.of(poolName));
        text.append(", bytes=").append(found.bytes());
        text.append(", thread=").append(Printable.of(found.thread()));
        text.append(", leaksFound=").append(count);
        if (notLogged > 0) {
            text.append(", notLogged=").append(notLogged);
        }
        if (oneIn > 1) {
            text.append(", arenasWatched=1 in ").append(oneIn);
        }
        text.append("\nIt was ").append(found.kind() == Kind.PAGE ? "taken" : "opened").append(":");
        for (String frame : found.openedAt()) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }
}
