package io.polder.memory;

/**
 * The provider of this process and why it was chosen, in words fit for a log line and for
 * statistics.
 *
 * @param provider the chosen provider
 * @param reason why, and if a better one was out of reach, what would bring it within reach
 */
public record ProviderChoice(MemoryProvider provider, String reason) {}
