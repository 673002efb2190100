package io.polder.lab.live;

import javax.management.openmbean.CompositeData;

/**
 * What one pool held at one moment.
 *
 * @param label how it is called; may be printed
 * @param nanos when, by {@link System#nanoTime}
 * @param usedBytes in use
 * @param committedBytes touched and not given back
 * @param reservedBytes address space
 * @param committedMaxBytes the limit
 * @param committedTotalBytes committed so far
 * @param uncommittedTotalBytes given back so far
 * @param heaps how many heaps are open
 * @param leaked leaks found so far
 */
record Sample(
        String label,
        long nanos,
        long usedBytes,
        long committedBytes,
        long reservedBytes,
        long committedMaxBytes,
        long committedTotalBytes,
        long uncommittedTotalBytes,
        int heaps,
        long leaked) {

    static Sample of(String label, CompositeData statistics, long nanos) {
        return new Sample(
                label,
                nanos,
                OpenData.number(statistics, "usedBytes"),
                OpenData.number(statistics, "committedBytes"),
                OpenData.number(statistics, "reservedBytes"),
                OpenData.number(statistics, "committedMaxBytes"),
                OpenData.number(statistics, "committedTotalBytes"),
                OpenData.number(statistics, "uncommittedTotalBytes"),
                statistics.containsKey("heaps") && statistics.get("heaps") instanceof Object[] heaps
                        ? heaps.length
                        : 0,
                OpenData.number(statistics, "leaks", "leaked"));
    }
}
