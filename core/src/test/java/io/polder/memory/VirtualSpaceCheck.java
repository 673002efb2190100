package io.polder.memory;

import java.util.function.Supplier;

/** Checks the invariants of a {@link VirtualSpace}. */
public final class VirtualSpaceCheck {
    private VirtualSpaceCheck() {}

    /**
     * Checks them while the caller holds the lock of the space.
     *
     * @param dump what the space looks like
     * @throws AssertionError if one does not hold
     */
    public static <R extends ReservedSpace> void verifyLocked(
            VirtualSpace<R> space, Supplier<String> dump) {
        try {
            verifyLocked(space);
        } catch (AssertionError broken) {
            throw new AssertionError(broken.getMessage() + dump.get(), broken);
        }
    }

    private static <R extends ReservedSpace> void verifyLocked(VirtualSpace<R> space) {
        long comingCommitted = space.provider.canUncommit() ? 0 : space.comingLocked();
        long begin = 0;
        long end = 0;
        for (R range : space.reserved) {
            require(space, range.address() >= begin, "reserved spaces are sorted", begin);
            require(
                    space,
                    !range.released || range.inFlight,
                    "what is released is forgotten",
                    range.address());
            begin = range.address();
            if (!range.inFlight) { // else another may have its addresses already
                require(space, begin >= end, "reserved spaces are apart", end);
                end = begin + range.bytes();
            }
        }
        require(
                space,
                space.reservedBytes == space.sumLocked(),
                "reserved == sum of the reserved spaces",
                space.sumLocked());
        require(
                space,
                space.reservedCharged == space.reservedBytes + space.comingLocked(),
                "reserved and coming == charged by the space",
                space.reservedCharged);
        require(
                space,
                space.committedCharged == space.committedBytes + comingCommitted,
                "committed == charged by the space",
                space.committedCharged);
        require(
                space,
                space.committedBytes == space.committedTotalBytes - space.uncommittedTotalBytes,
                "committed == committedTotal - uncommittedTotal",
                space.committedTotalBytes);
        require(
                space,
                space.committedBytes <= space.reservedBytes,
                "committed <= reserved",
                space.committedBytes);
        MemoryLimits limits = space.budget.limits;
        long committed = space.budget.committed.bytes();
        require(
                space,
                space.committedBytes <= committed && committed <= limits.committedMaxBytes(),
                "committed <= charged <= committedMax",
                committed);
        long addresses = space.budget.reserved.bytes();
        require(
                space,
                space.reservedBytes <= addresses && addresses <= limits.reservedMaxBytes(),
                "reserved <= charged <= reservedMax",
                addresses);
    }

    private static void require(VirtualSpace<?> space, boolean holds, String rule, long counted) {
        if (!holds) {
            throw new AssertionError(
                    rule
                            + ": counted="
                            + counted
                            + ", reserved="
                            + space.reservedBytes
                            + ", reservedCharged="
                            + space.reservedCharged
                            + ", coming="
                            + space.comingLocked()
                            + ", committed="
                            + space.committedBytes
                            + ", committedCharged="
                            + space.committedCharged
                            + ", committedTotal="
                            + space.committedTotalBytes
                            + ", uncommittedTotal="
                            + space.uncommittedTotalBytes
                            + '\n');
        }
    }
}
