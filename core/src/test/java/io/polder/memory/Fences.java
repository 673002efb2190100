package io.polder.memory;

/** Fences for tests of other packages. */
public final class Fences {
    private Fences() {}

    /** A fence that is not available, as on a system that has none. */
    public static ProcessFence none() {
        return new ProcessFence(new LinuxCalls(), false);
    }
}
