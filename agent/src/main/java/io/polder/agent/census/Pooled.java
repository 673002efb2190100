package io.polder.agent.census;

/**
 * Which arenas are pooled.
 *
 * @param confined whether confined ones are
 * @param shared whether shared ones are
 */
public record Pooled(boolean confined, boolean shared) {
    /** All of them. */
    static final Pooled BOTH = new Pooled(true, true);

    /** As option {@code pool} says it. */
    String word() {
        if (confined) {
            return shared ? "both" : "confined";
        }
        return shared ? "shared" : "off";
    }
}
