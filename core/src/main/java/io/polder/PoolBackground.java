package io.polder;

import io.polder.background.Background;

/** The one background thread of all pools of this process; there is none until a pool needs it. */
final class PoolBackground {
    static final Background INSTANCE = new Background("polder-background");

    private PoolBackground() {}
}
