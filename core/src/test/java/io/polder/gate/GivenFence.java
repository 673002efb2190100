package io.polder.gate;

/** Fences for tests of other packages. */
public final class GivenFence {
    private GivenFence() {}

    /** An asymmetric fence whose waiters do what is given. */
    public static GateFence of(Runnable waiterFence) {
        return GateFence.asymmetric(waiterFence);
    }
}
