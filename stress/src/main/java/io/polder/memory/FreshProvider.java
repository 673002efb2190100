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

    /** Unmaps what one of them has left mapped, with the page in front. */
    public static void unmap(long address, long bytes) {
        long front = AuxiliaryVector.osPageSize();
        long result = CALLS.munmap(address - front, front + bytes);
        if (result < 0) {
            throw new IllegalStateException(
                    "what was left mapped can be unmapped: address=0x%x, bytes=%d, result=%d"
                            .formatted(address, bytes, result));
        }
    }
}
