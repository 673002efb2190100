package io.polder.agent;

import io.polder.agent.rewrite.ClassFilter;

import org.jspecify.annotations.Nullable;

/**
 * What the agent is to do.
 *
 * @param pooling which arenas are pooled; null for those that are
 * @param filter which classes are rewritten
 * @param census what is counted; null if nothing
 * @param netty whether Netty's default allocator is Polder's
 * @param report where the pools' reports go when the JVM ends; null for nowhere
 * @param leaks how closely pools look for leaks; null if that is not said
 */
record AgentOptions(
        @Nullable Pooling pooling,
        ClassFilter filter,
        @Nullable CensusOptions census,
        boolean netty,
        @Nullable Output report,
        @Nullable String leaks) {

    /**
     * What is counted, for how long, and where it is written.
     *
     * @param text where the text goes; null for nowhere
     * @param json where JSON goes; null for nowhere
     * @param seconds after which counting ends; 0 for when the JVM ends
     * @param sites how many call sites are told apart; 0 if that is not said
     */
    record CensusOptions(@Nullable Output text, @Nullable Output json, int seconds, int sites) {
        /** Whether any of its outputs has a place; no if who asked has removed its directory. */
        boolean hasReader() {
            return (text != null && text.hasPlace()) || (json != null && json.hasPlace());
        }
    }
}
