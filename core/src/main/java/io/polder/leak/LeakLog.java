package io.polder.leak;

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
        if (warned && nowNanos - lastNanos < PAUSE_NANOS) {
            unsaid++;
            return null;
        }
        String message = message(found, count);
        warned = true;
        lastNanos = nowNanos;
        unsaid = 0;
        return message;
    }

    private String message(Found found, long count) {
        StringBuilder text = new StringBuilder();
        text.append("a ").append(found.kind()).append(" was never ");
        text.append(found.kind() == Kind.PAGE ? "given back" : "closed");
        text.append(", and nobody can do it any more: pool=").append(poolName);
        text.append(", bytes=").append(found.bytes());
        text.append(", thread=").append(found.thread());
        text.append(", leaksFound=").append(count);
        if (unsaid > 0) {
            text.append(", notLogged=").append(unsaid);
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
