package io.polder.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all parts of one pool may have together: chunks and pages draw on the same limits.
 *
 * <pre>{@code
 *   chunks --tryCharge, refund-->  committed  <= committedMaxBytes
 *   pages  --tryCharge, refund-->  reserved   <= reservedMaxBytes
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
 * <p>Thread-safe, without a lock. {@link Account#makeRoom} and {@link #releaseFree} run the
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

    /** How events and messages call the pool. */
    public final String poolName;

    /** How much may be charged. */
    public final MemoryLimits limits;

    /** Memory that is committed, or about to be. */
    public final Account committed;

    /** Address space that is reserved, or about to be. */
    public final Account reserved;

    private final List<Shrinker> shrinkers = new CopyOnWriteArrayList<>();

    /**
     * A budget of which nothing is charged.
     *
     * @param poolName how events and messages call the pool
     */
    public MemoryBudget(MemoryLimits limits, String poolName) {
        this.poolName = poolName;
        this.limits = limits;
        this.committed = new Account("committed", limits.committedMaxBytes());
        this.reserved = new Account("reserved", limits.reservedMaxBytes());
    }

    /** Adds a part that gives free memory back when room is needed; asked in this order. */
    public void add(Shrinker shrinker) {
        shrinkers.add(shrinker);
    }

    /** That of which a pool may have less: why others are refused what is kept for some. */
    public Account scarcer() {
        return limits.reservedMaxBytes() < limits.committedMaxBytes() ? reserved : committed;
    }

    /** One of the two things of which a pool may have no more than a limit. */
    public final class Account {
        private final String name;
        private final long maxBytes;
        private final AtomicLong charged = new AtomicLong();

        private Account(String name, long maxBytes) {
            this.name = name;
            this.maxBytes = maxBytes;
        }

        /** What is charged now. */
        public long bytes() {
            return charged.get();
        }

        /** How much more can be charged now. */
        public long roomBytes() {
            return maxBytes - charged.get();
        }

        /** Charges what is about to be had; returns false if the limit is in the way. */
        public boolean tryCharge(long bytes) {
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

        /** Takes back what was charged, and is had no more. */
        public void refund(long bytes) {
            long left = charged.addAndGet(-bytes);
            if (left < 0) {
                throw new AssertionError(
                        "only what was charged can be refunded: bytes=" + bytes + ", left=" + left);
            }
        }

        /** Why that much cannot be charged now. */
        public MemoryExhaustedException exhausted(long bytes) {
            return exhausted(roomBytes(), 0, bytes);
        }

        /** The same where there is that much room, of which a part must stay free. */
        public MemoryExhaustedException exhausted(long roomBytes, long keptBytes, long bytes) {
            return MemoryExhaustedException.overLimit(
                    name, maxBytes, maxBytes - roomBytes, keptBytes, bytes, poolName);
        }

        /** Whether its limit is why: there may be more room by now. */
        public boolean isExhausted(MemoryExhaustedException failure) {
            return name.equals(failure.limit());
        }

        /**
         * Makes shrinkers uncommit free memory, or release free address space, until that much can
         * be charged.
         *
         * @param bytes how much is to be had
         * @return whether there is room now, or some was made: another attempt is worth it, but
         *     others may be faster
         */
        public boolean makeRoom(long bytes) {
            boolean made = false;
            for (Shrinker shrinker : shrinkers) {
                long missing = bytes - roomBytes();
                if (missing <= 0) {
                    return true;
                }
                if (bytes > maxBytes) {
                    return false;
                }
                long done =
                        this == committed
                                ? shrinker.uncommitFree(missing)
                                : shrinker.releaseFree(missing);
                made |= done > 0;
            }
            return made || bytes <= roomBytes();
        }
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
