package io.polder.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all parts of one pool may have together: chunks and pages draw on the same limits.
 *
 * <pre>{@code
 *   chunks --tryCommit, uncommitted-->  committed  <= committedMaxBytes
 *   pages  --tryReserve, released---->  reserved   <= reservedMaxBytes
 *
 *   a limit is in the way:  makeRoom --> every shrinker gives free memory back
 * }</pre>
 *
 * <p>A part charges before it commits or reserves, and refunds after it has uncommitted or
 * released: so what the parts have is never more than what is charged, and that never more than the
 * limit. Invariant, while nobody is between the two: each sum is what its shrinkers count
 * themselves.
 *
 * <p>A <em>shrinker</em> is a part that keeps free memory and gives it back when another needs
 * room.
 *
 * <p>Thread-safe, without a lock. {@link #makeRoom} and {@link #makeReservedRoom} run the
 * shrinkers' code: call them with no lock held that a shrinker takes.
 */
public final class MemoryBudget {

    /** A part of the pool with free memory. Its methods take its locks. */
    public interface Shrinker {
        /**
         * Uncommits free memory.
         *
         * @param wantedBytes at least that much, if there is
         * @return how many bytes were refunded
         */
        long uncommitFree(long wantedBytes);

        /**
         * Releases address space in which everything is free.
         *
         * @param wantedBytes at least that much, if there is
         * @return how many bytes were refunded
         */
        long releaseFree(long wantedBytes);
    }

    private static final String RESERVED = "reserved";

    /** How events and messages call the pool. */
    public final String poolName;

    /** How much may be charged. */
    public final MemoryLimits limits;

    private final AtomicLong committedBytes = new AtomicLong();
    private final AtomicLong reservedBytes = new AtomicLong();
    private final List<Shrinker> shrinkers = new CopyOnWriteArrayList<>();

    /** A budget of which nothing is charged, of a pool without a name. */
    public MemoryBudget(MemoryLimits limits) {
        this(limits, "");
    }

    /**
     * A budget of which nothing is charged.
     *
     * @param poolName how events and messages call the pool
     */
    public MemoryBudget(MemoryLimits limits, String poolName) {
        this.poolName = poolName;
        this.limits = limits;
    }

    /** Adds a part that gives free memory back when room is needed; asked in this order. */
    public void add(Shrinker shrinker) {
        shrinkers.add(shrinker);
    }

    /** What is charged as committed now. */
    public long committedBytes() {
        return committedBytes.get();
    }

    /** What is charged as reserved now. */
    public long reservedBytes() {
        return reservedBytes.get();
    }

    /** How much more can be committed now. */
    public long committableBytes() {
        return limits.committedMaxBytes() - committedBytes.get();
    }

    /** How much more can be reserved now. */
    public long reservableBytes() {
        return limits.reservedMaxBytes() - reservedBytes.get();
    }

    /** Charges memory that is about to be committed; returns false if the limit is in the way. */
    public boolean tryCommit(long bytes) {
        return tryCharge(committedBytes, bytes, limits.committedMaxBytes());
    }

    /** Refunds memory that is uncommitted. */
    public void uncommitted(long bytes) {
        refund(committedBytes, bytes);
    }

    /** Charges address space about to be reserved; returns false if the limit is in the way. */
    public boolean tryReserve(long bytes) {
        return tryCharge(reservedBytes, bytes, limits.reservedMaxBytes());
    }

    /** Refunds address space that is released. */
    public void released(long bytes) {
        refund(reservedBytes, bytes);
    }

    private static boolean tryCharge(AtomicLong charged, long bytes, long maxBytes) {
        long now = charged.get();
        while (bytes <= maxBytes - now) {
            long witness = charged.compareAndExchange(now, now + bytes);
            if (witness == now) {
                return true;
            }
            now = witness;
        }
        return false;
    }

    private static void refund(AtomicLong charged, long bytes) {
        long left = charged.addAndGet(-bytes);
        if (left < 0) {
            throw new AssertionError(
                    "only what was charged can be refunded: bytes=" + bytes + ", left=" + left);
        }
    }

    /** Why that much cannot be committed now. */
    public MemoryExhaustedException committedExhausted(long bytes) {
        return committedExhausted(committableBytes(), 0, bytes);
    }

    /** The same where there is so much room, of which a part must stay free. */
    public MemoryExhaustedException committedExhausted(long roomBytes, long keptBytes, long bytes) {
        long max = limits.committedMaxBytes();
        return MemoryExhaustedException.overLimit(
                "committed", max, max - roomBytes, keptBytes, bytes, poolName);
    }

    /** Why that much cannot be reserved now. */
    public MemoryExhaustedException reservedExhausted(long bytes) {
        return MemoryExhaustedException.overLimit(
                RESERVED, limits.reservedMaxBytes(), reservedBytes(), 0, bytes, poolName);
    }

    /** Whether that is why: there may be more room by now. */
    public boolean isByReserved(MemoryExhaustedException failure) {
        return RESERVED.equals(failure.limit());
    }

    /**
     * Makes shrinkers uncommit free memory until that much can be committed.
     *
     * @param bytes how much is to be committed
     * @return whether there is room now, or some was made: another attempt is worth it, but others
     *     may be faster
     */
    public boolean makeRoom(long bytes) {
        boolean made = false;
        for (Shrinker shrinker : shrinkers) {
            if (bytes <= committableBytes()) {
                return true;
            }
            if (bytes > limits.committedMaxBytes()) {
                return false;
            }
            made |= shrinker.uncommitFree(bytes - committableBytes()) > 0;
        }
        return made || bytes <= committableBytes();
    }

    /**
     * Makes shrinkers release free address space until that much can be reserved; returns the same
     * as {@link #makeRoom}.
     *
     * @param bytes how much is to be reserved
     */
    public boolean makeReservedRoom(long bytes) {
        boolean made = false;
        for (Shrinker shrinker : shrinkers) {
            if (bytes <= reservableBytes()) {
                return true;
            }
            if (bytes > limits.reservedMaxBytes()) {
                return false;
            }
            made |= shrinker.releaseFree(bytes - reservableBytes()) > 0;
        }
        return made || bytes <= reservableBytes();
    }

    /**
     * Makes shrinkers release free address space, whatever the limit: for others who need it.
     *
     * @param wantedBytes at least that much, if there is
     * @return how many bytes were refunded
     */
    public long releaseFree(long wantedBytes) {
        long released = 0;
        for (Shrinker shrinker : shrinkers) {
            if (released < wantedBytes) {
                released += shrinker.releaseFree(wantedBytes - released);
            }
        }
        return released;
    }
}
