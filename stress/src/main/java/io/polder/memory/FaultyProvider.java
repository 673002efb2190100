package io.polder.memory;

/** The provider of Linux, on system calls of which one in so many is refused. */
public final class FaultyProvider {
    private final FaultyCalls calls;
    private final MemoryProvider provider;

    /**
     * Makes one; what the kernel can do is tried out with calls that are not refused.
     *
     * @param oneIn of so many system calls one is refused
     * @throws UnsupportedOperationException if this process does not use the provider of Linux
     */
    public FaultyProvider(int oneIn) {
        if (!(Providers.choose().provider() instanceof LinuxMemoryProvider)) {
            throw new UnsupportedOperationException(
                    "system calls are refused on Linux only, with native access: reason="
                            + Providers.choose().reason());
        }
        long osPageSize = AuxiliaryVector.osPageSize();
        this.calls = new FaultyCalls(oneIn);
        this.provider =
                new LinuxMemoryProvider(
                        calls, new LinuxFeatures(new LinuxCalls(), osPageSize), osPageSize);
    }

    /** The provider. */
    public MemoryProvider provider() {
        return provider;
    }

    /** Refuses no call from now on, or some again. */
    public void quiet(boolean quiet) {
        calls.quiet(quiet);
    }

    /** How many system calls were made, with those that were refused. */
    public long made() {
        return calls.made();
    }

    /** How many system calls were refused. */
    public long refused() {
        return calls.refused();
    }
}
