package io.polder.leak;

import io.polder.event.Printable;

import org.jspecify.annotations.Nullable;

/**
 * Writes messages about leaks, at most one in a while: what leaks does so often, and always from
 * the same place. Messages in between are suppressed, and counted.
 *
 * <p>Confined to the background.
 */
final class LeakLog {
    /** Guessed: whoever looks sees a message, and there is no flood. */
    static final long PAUSE_NANOS = 10_000_000_000L;

    private final String poolName;
    private final int oneIn;
    private boolean warned;
    private long lastNanos;
    private long suppressed;

    /** The last one that was suppressed; null if none is. */
    private @Nullable LeakRecord suppressedLast;

    LeakLog(String poolName, int oneIn) {
        this.poolName = poolName;
        this.oneIn = oneIn;
    }

    /**
     * The message about a leak.
     *
     * @param count how many leaks were found so far
     * @param nowNanos what {@link System#nanoTime} says
     * @return what is to be logged; null if it is suppressed
     */
    @Nullable String message(LeakRecord leak, long count, long nowNanos) {
        suppressed++;
        suppressedLast = leak; // until there is a message, which may fail
        if (warned && nowNanos - lastNanos < PAUSE_NANOS) {
            return null;
        }
        String message = text(leak, count, suppressed - 1);
        logged(nowNanos);
        return message;
    }

    /**
     * The message about those that were suppressed, once there was a pause; null if there are none,
     * or it is too early.
     *
     * @param count how many leaks were found so far
     * @param nowNanos what {@link System#nanoTime} says
     */
    @Nullable String suppressed(long count, long nowNanos) {
        LeakRecord last = suppressedLast;
        if (last == null || (warned && nowNanos - lastNanos < PAUSE_NANOS)) {
            return null;
        }
        String message = text(last, count, suppressed - 1);
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
    boolean isBehind() {
        return suppressedLast != null;
    }

    private String text(LeakRecord leak, long count, long notLogged) {
        StringBuilder text = new StringBuilder(what(leak.kind()));
        text.append(": pool=").append(Printable.of(poolName));
        text.append(", bytes=").append(leak.bytes());
        text.append(", thread=").append(Printable.of(leak.thread()));
        text.append(", leaksFound=").append(count);
        if (notLogged > 0) {
            text.append(", notLogged=").append(notLogged);
        }
        if (oneIn > 1) {
            text.append(leak.kind() == Kind.BLOCKS ? ", blocksWatched" : ", arenasWatched");
            text.append("=1 in ").append(oneIn);
        }
        text.append('\n').append(begun(leak.kind())).append(':');
        for (String frame : leak.openedAt()) {
            text.append("\n\tat ").append(frame);
        }
        return text.toString();
    }

    private static String what(Kind kind) {
        return switch (kind) {
            case PAGE -> "a page was never given back, and nobody can do it any more";
            case BLOCKS -> "blocks were not freed when their pool was closed";
            default -> "a " + kind + " was never closed, and nobody can do it any more";
        };
    }

    private static String begun(Kind kind) {
        return switch (kind) {
            case PAGE -> "It was taken";
            case BLOCKS -> "They were allocated";
            default -> "It was opened";
        };
    }
}
