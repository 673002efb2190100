package io.polder.memory;

/** A provider of one's own: what befalls it befalls nobody else. */
public final class FreshProvider {
    private static final LinuxCalls CALLS = new LinuxCalls();

    private FreshProvider() {}

    /** Makes one of the kind that this process uses. */
    public static MemoryProvider create() {
        return Providers.choose().provider() instanceof LinuxMemoryProvider
                ? LinuxMemoryProvider.create(CALLS)
                : Providers.plain();
    }
}
