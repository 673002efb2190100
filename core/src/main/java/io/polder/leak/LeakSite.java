package io.polder.leak;

/**
 * A place that opened what leaked.
 *
 * @param last what leaked last
 * @param count how often it leaked
 * @param bytes what those have
 */
public record LeakSite(LeakRecord last, long count, long bytes) {}
