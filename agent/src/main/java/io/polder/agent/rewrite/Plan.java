package io.polder.agent.rewrite;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of calls that open arenas.
 *
 * @param confined whether confined arenas are pooled
 * @param shared whether shared arenas are pooled
 * @param sites numbers call sites, all of which are counted then; null if none are
 */
public record Plan(boolean confined, boolean shared, @Nullable CallSites sites) {
    /** Whether any call of this kind is rewritten. */
    boolean changes(boolean confinedCall) {
        return sites != null || (confinedCall ? confined : shared);
    }
}
