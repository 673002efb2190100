package io.polder.memory;

/**
 * How much memory a space has at one moment, and how much it had so far.
 * All sizes are in bytes. {@code committed <= reserved}, and both stay within the limits.
 *
 * @param committedMaxBytes the limit on committed memory, which arenas, blocks and pages of a pool
 *     share; -1 if there is none
 * @param reservedMaxBytes the limit on reserved memory, which they share as well; -1 if there is
 *     none
 * @param reservedBytes address space
 * @param committedBytes memory touched, or about to be, and not given back
 * @param committedTotalBytes memory committed so far
 * @param uncommittedTotalBytes memory given back to the operating system so far
 * @param refusals calls that the operating system refused so far
 */
public record MemoryUsage(
        long committedMaxBytes,
        long reservedMaxBytes,
        long reservedBytes,
        long committedBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        long refusals) {}
