package io.polder.gate;

/**
 * A platform thread that is inside a gate.
 *
 * @param thread its name
 * @param atLeastNanos how long it has been seen in this critical section: waiters look, and so does
 *     the thread that asks
 */
public record Insider(String thread, long atLeastNanos) {}
