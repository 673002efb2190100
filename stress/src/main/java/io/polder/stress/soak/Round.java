package io.polder.stress.soak;

/**
 * What was seen in one round.
 *
 * @param endSeconds when it ended, since the beginning
 * @param requestsPerSecond of all kinds, those that were refused memory too
 * @param busy the most while threads ran
 * @param atRest after the round, when all but heaps' objects was given back
 * @param refusals of limits and of the system, in this round
 * @param faults system calls that were refused on purpose, in this round
 */
record Round(
        double endSeconds,
        double requestsPerSecond,
        Sample busy,
        Sample atRest,
        long refusals,
        long faults) {}
