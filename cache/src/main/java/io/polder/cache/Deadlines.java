package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * When entries expire.
 *
 * @param ticker nanoseconds of any origin
 * @param origin what the ticker said when the cache was built
 * @param afterWriteNanos from a put on; {@link #OFF} for another rule
 * @param afterAccessNanos from a put or a read on; {@link #OFF} for another rule
 * @param expiry for each entry by itself; null for another rule
 */
record Deadlines<K, V>(
        LongSupplier ticker,
        long origin,
        long afterWriteNanos,
        long afterAccessNanos,
        @Nullable Expiry<? super K, ? super V> expiry) {
    static final long OFF = -1;

    boolean isOn() {
        return afterWriteNanos != OFF || afterAccessNanos != OFF || expiry != null;
    }

    long now() {
        return ticker.getAsLong() - origin;
    }

    /** The nanoseconds of a duration, at most those of a long. */
    static long nanos(Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "a duration must not be negative: duration=" + duration);
        }
        try {
            return duration.toNanos();
        } catch (ArithmeticException _) {
            return Long.MAX_VALUE;
        }
    }

    /**
     * Checks a duration that is meant for one entry.
     *
     * @throws IllegalArgumentException if it is negative
     * @throws UnsupportedOperationException if entries have no deadline
     */
    void checkLifetime(Duration lifetime) {
        long _ = nanos(lifetime);
        if (!isOn()) {
            throw new UnsupportedOperationException(
                    "entries of a cache that is built without expiry do not expire");
        }
    }

    /** So long from now on, if entries expire. */
    long afterNanos(long nanos) {
        return isOn() ? after(nanos) : EntryLayout.NEVER;
    }

    private long after(long nanos) {
        long now = now();
        long deadline = now + nanos;
        return deadline < now ? EntryLayout.NEVER : deadline;
    }

    /** The nanoseconds until a deadline, 0 if it is over; those of a long if it is never. */
    long left(long deadline) {
        return left(deadline, now());
    }

    /** The same from a moment on that is over, of a deadline that is not. */
    long left(long deadline, long from) {
        long now = now();
        if (deadline <= now) {
            return 0;
        }
        long left = deadline - Math.min(from, now); // a ticker may go back
        return deadline == EntryLayout.NEVER || left < 0 ? Long.MAX_VALUE : left;
    }

    /**
     * Of an entry that is put now.
     *
     * @param own a duration of its own; null for the rule of the cache
     */
    long afterWrite(K key, V value, @Nullable Duration own) {
        if (own != null) {
            return after(nanos(own));
        }
        if (expiry != null) {
            return after(
                    nanos(
                            Objects.requireNonNull(
                                    expiry.afterWrite(key, value), "what afterWrite returns")));
        }
        return afterWrite();
    }

    /** Of an entry that is put now, by the rule for all entries. */
    long afterWrite() {
        long nanos = afterWriteNanos != OFF ? afterWriteNanos : afterAccessNanos;
        return nanos == OFF ? EntryLayout.NEVER : after(nanos);
    }

    /** Of an entry whose bytes were read now; its key and value were not. */
    long afterBytesRead(long was) {
        return afterAccessNanos == OFF ? was : after(afterAccessNanos);
    }

    boolean changeWithReads() {
        return afterAccessNanos != OFF || expiry != null;
    }

    /** Of an entry that was read now, whose deadline was this. */
    long afterRead(K key, V value, long was) {
        if (expiry != null) {
            Duration duration = expiry.afterRead(key, value);
            return duration == null ? was : after(nanos(duration));
        }
        return afterAccessNanos == OFF ? was : after(afterAccessNanos);
    }
}
