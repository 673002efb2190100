package io.polder.page.space;

/**
 * What a {@link PageSpace} does beside its callers.
 *
 * @param decayNanos how long free memory stays committed, at least
 * @param defragmenting whether runs are assembled ahead in the background
 * @param hugePages whether the system is asked for huge pages
 */
public record PageSettings(long decayNanos, boolean defragmenting, boolean hugePages) {}
