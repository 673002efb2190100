package io.polder;

import io.polder.background.Background;

/** The background threads of all pools of this process; there is none until a pool needs it. */
final class PoolBackground {
    /** For what pools do with memory. */
    static final Background INSTANCE = new Background("polder-background");

    /** For what is told to others: a logger or an MBean server may take its time. */
    static final Background TELLING = new Background("polder-telling");

    private PoolBackground() {}
}
