package io.polder.memory;

/**
 * The provider of this process and why it was chosen, in words fit for a log line and for
 * statistics.
 *
 * @param provider the chosen provider
 * @param nativeAccess whether this module may make restricted calls, such as to view memory by its
 *     address
 * @param reason why, and if a better one was out of reach, what would bring it within reach
 */
public record ProviderChoice(MemoryProvider provider, boolean nativeAccess, String reason) {}
