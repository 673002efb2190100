package io.polder;

import io.polder.background.Background;

/**
 * The background threads of pools; there is none until a pool needs it.
 *
 * <table>
 * <caption>Three kinds, so that code of the program holds up nothing but its own</caption>
 * <tr><th>thread</th><th>how many</th><th>runs</th></tr>
 * <tr><td>polder-background</td><td>one</td><td>what all pools do with memory; no code of the
 *     program</td></tr>
 * <tr><td>polder-telling</td><td>one</td><td>loggers, the MBean server</td></tr>
 * <tr><td>polder-closing</td><td>one for each pool</td><td>the real close of its deferred arenas,
 *     and so cleanup actions of the program</td></tr>
 * </table>
 */
final class PoolBackground {
    /** For what is told to others: a logger or an MBean server may take its time. */
    static final Background TELLING = Background.telling("polder-telling");

    /** For what pools do with memory. */
    static final Background INSTANCE = new Background("polder-background", TELLING);

    private PoolBackground() {}

    /** One for the deferred arenas of one pool. */
    static Background closing() {
        return new Background("polder-closing", TELLING);
    }

    /**
     * Logs that no thread can be started, if that is so and was not logged. To be called with no
     * lock held.
     */
    static void tell() {
        INSTANCE.tell();
        TELLING.tell();
    }
}
