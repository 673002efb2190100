package io.polder;

/**
 * A pool that was closed, or became unreachable, and left leaks, as far as it {@linkplain
 * LeakDetection looked for them}. Only the last few are remembered: name, number, and what is said
 * here; none of their memory, and no class of the program.
 *
 * @param name the name of the pool
 * @param number its number among the pools of its name that were open when it was; 1 for the first
 * @param leaks what is known of its leaks now. What was open and watched when the pool went still
 *     is; nothing is added
 */
public record FormerPool(String name, int number, PoolStatistics.Leaks leaks) {}
