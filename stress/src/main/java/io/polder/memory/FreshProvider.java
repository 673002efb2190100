package io.polder.memory;

/** A provider of one's own: what befalls it befalls nobody else. */
public final class FreshProvider {
    private static final LinuxCalls CALLS = new LinuxCalls();

    /** Shared by all, since they hold a descriptor for as long as the process lives. */
    private static final LinuxFeatures FEATURES =
            new LinuxFeatures(CALLS, AuxiliaryVector.osPageSize());

    private FreshProvider() {}

    /** Makes one of the kind that this process uses. */
    public static MemoryProvider create() {
        return Providers.choose().provider() instanceof LinuxMemoryProvider
                ? new LinuxMemoryProvider(CALLS, FEATURES, AuxiliaryVector.osPageSize())
                : Providers.plain();
    }
}
