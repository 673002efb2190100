package io.polder.lab.experiments.netty;

/**
 * The resident set of a server at a moment.
 *
 * @param contender whose buffers it has
 * @param round 0 for the first
 * @param millis since the base was taken
 * @param rssBytes grown since then; may be negative
 */
record ServerPoint(Contender contender, int round, long millis, long rssBytes) {}
