package io.polder.lab.experiments.cache;

/**
 * The resident set of a contender's JVM at a moment.
 *
 * @param contender whose cache it has
 * @param done phases, and the part of the present one
 * @param rssBytes grown over the base; may be negative
 */
record CachePoint(Contender contender, double done, long rssBytes) {}
