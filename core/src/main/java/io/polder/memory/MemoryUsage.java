package io.polder.memory;

/**
 * What a {@link VirtualSpace} has at one moment, and what of it there was so far. All sizes are in
 * bytes. {@code committed <= reserved}, {@code committed == committedTotal - uncommittedTotal}, and
 * both stay within the limits.
 *
 * @param limits what it may have, together with those it shares its budget with
 * @param reservedBytes address space
 * @param committedBytes memory touched, or about to be, and not given back
 * @param committedTotalBytes memory committed so far
 * @param uncommittedTotalBytes memory given back to the operating system so far
 * @param refusals calls that the operating system refused
 */
public record MemoryUsage(
        MemoryLimits limits,
        long reservedBytes,
        long committedBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long refusals) {

    /** What two spaces of one budget have together. */
    public MemoryUsage plus(MemoryUsage other) {
        return new MemoryUsage(
                limits,
                reservedBytes + other.reservedBytes,
                committedBytes + other.committedBytes,
                committedTotalBytes + other.committedTotalBytes,
                uncommittedTotalBytes + other.uncommittedTotalBytes,
                refusals + other.refusals);
    }
}
