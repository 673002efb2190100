package io.polder.memory;

/** Fences for tests of other packages. */
public final class Fences {
    private Fences() {}

    /** The fence of a system that has none. */
    public static ProcessFence handshake() {
        return new ProcessFence(new LinuxCalls(), false);
    }
}
