package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * Reserves address space for a {@link VirtualSpace} that has run out of it.
 *
 * <p>Each reservation is as large as all that are there, and the first one, so twice as large as
 * the one before: few mappings are added to the process. When all were released, it begins anew.
 * Where memory comes with the reservation, it is as large as what is needed.
 *
 * <p><b>Locking.</b> Its own monitor is held by the thread that reserves, so that threads that find
 * no memory at the same time do not reserve for each of them. It is taken before the lock of the
 * space, and held during system calls.
 *
 * <p><b>Failure.</b> Where a limit or the operating system has no room for a large reservation,
 * smaller ones are tried, down to what is needed. Whatever is thrown, a range that has come is kept
 * for the next who needs it, and a charge for one that has not is refunded: here, or by the next
 * who takes the lock of the space.
 *
 * @param <R> what the owner knows of a reserved range
 */
public final class VirtualSpaceGrowth<R extends ReservedSpace> {
    /** What is said to the operating system about huge pages behind a new range. */
    public enum HugePages {
        /** Nothing. */
        UNSAID,
        /** That they are wanted. */
        WANTED,
        /** That they are not. */
        UNWANTED
    }

    /**
     * How large reservations are.
     *
     * @param unitBytes each is a multiple of it, and so is its address
     * @param initialBytes the first one
     * @param largestBytes each, at most
     * @param shareOfLeft one takes at most this part of what the limits leave
     * @param hugePages what to say about them
     */
    public record Policy(
            long unitBytes,
            long initialBytes,
            long largestBytes,
            int shareOfLeft,
            HugePages hugePages) {}

    /**
     * Where a pool has a limit on addresses, reservations are at most such a part of it, or as
     * large as what is needed: one is released when all of it is free, so what lives in it keeps
     * all of it from others. Guessed, next to the mappings that a process may have.
     */
    private static final int PARTS_OF_LIMIT = 1024;

    private final VirtualSpace<R> space;
    private final Policy policy;
    private final long largestBytes;

    /** Growth of a space. */
    public VirtualSpaceGrowth(VirtualSpace<R> space, Policy policy) {
        this.space = space;
        this.policy = policy;
        long limit = space.budget.limits.reservedMaxBytes();
        this.largestBytes =
                limit >= MemoryLimits.ADDRESS_SPACE_BYTES
                        ? policy.largestBytes()
                        : Math.clamp(
                                limit / PARTS_OF_LIMIT, policy.unitBytes(), policy.largestBytes());
    }

    /**
     * Reserves contiguous addresses.
     *
     * @param least how many bytes at least, a multiple of the unit
     * @return why it could not; null if they are reserved
     */
    public synchronized @Nullable MemoryExhaustedException reserve(long least) {
        long bytes = space.provider.canUncommit() ? ahead(least) : least;
        while (true) {
            MemoryExhaustedException failure = tryReserve(bytes);
            if (failure == null) {
                return null;
            }
            boolean refused =
                    failure.getCause() instanceof OsCallException refusal
                            && !refusal.isExhaustion();
            if (refused || bytes == least) {
                return failure;
            }
            bytes = Math.max(least, bytes / 2 & -policy.unitBytes());
        }
    }

    private long ahead(long least) {
        long room = space.budget.reserved.roomBytes();
        long left = Math.min(room, space.provider.reservableAheadBytes());
        long share = left / policy.shareOfLeft();
        return Math.max(least, Math.min(nextBytes(), share) & -policy.unitBytes());
    }

    private long nextBytes() {
        synchronized (space) {
            space.recoverIfNeededLocked();
            return Math.min(space.reservedBytes + policy.initialBytes(), largestBytes);
        }
    }

    private @Nullable MemoryExhaustedException tryReserve(long bytes) {
        R range = space.toReserve(bytes);
        OsCallException refusal = null;
        try {
            synchronized (space) {
                space.recoverIfNeededLocked();
                MemoryExhaustedException failure = space.expectLocked(range);
                if (failure != null) {
                    return failure;
                }
            }
            StackBang.ensure();
            range.address = space.provider.reserve(bytes, policy.unitBytes());
            advise(range);
        } catch (OsCallException e) {
            refusal = e;
        } finally {
            synchronized (space) {
                if (space.coming == range) {
                    boolean intact = !space.inTransition;
                    space.inTransition = true;
                    range.inFlight = false;
                    space.arriveLocked(range, intact);
                }
            }
        }
        if (refusal == null) {
            return null;
        }
        space.refused(refusal);
        return MemoryExhaustedException.refused(refusal);
    }

    private void advise(R range) {
        if (policy.hugePages() != HugePages.UNSAID && space.provider.canUncommit()) {
            boolean wanted = policy.hugePages() == HugePages.WANTED;
            boolean _ = space.provider.adviseHugePages(range.address(), range.bytes(), wanted);
        }
    }
}
