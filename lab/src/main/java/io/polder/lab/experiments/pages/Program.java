package io.polder.lab.experiments.pages;

/**
 * The program whose objects lie in the heap: TestPageCacheFlush, with which ZGC's page cache was
 * examined in 2020.
 *
 * <pre>{@code
 * live  80 % |      /|      /|      /|      medium objects are appended one after the other,
 *            |    /  |    /  |    /  |      and all dropped when their array is full
 *       40 % |../....|./.....|./.....|...   small ones replace each other at random
 * }</pre>
 *
 * @param budgetBytes the heap
 * @param rounds how often the medium objects are filled up
 */
record Program(long budgetBytes, int rounds) {
    /** Of the heap, for the payload of each kind. */
    private static final double SHARE = 0.4;

    /** With less than this part of the heap free, the collector is called. A guess. */
    private static final int LOW = 8;

    /** How many objects of a kind are alive at most. */
    int slots(ObjectKind kind) {
        return Math.toIntExact((long) (SHARE * budgetBytes) / kind.payloadBytes());
    }

    /** How many small objects there are for each medium one: as many bytes. */
    int smallPerMedium() {
        return slots(ObjectKind.SMALL) / slots(ObjectKind.MEDIUM);
    }

    /** How many medium objects there are in all. */
    long mediumObjects() {
        return (long) rounds * slots(ObjectKind.MEDIUM);
    }

    /** Free memory below which the collector is called. */
    long lowBytes() {
        return budgetBytes / LOW;
    }
}
