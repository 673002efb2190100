package io.polder.memory;

/** Linux providers for tests. The kernel is asked for its features once per JVM. */
final class LinuxProviders {

    private static final LinuxFeatures FEATURES =
            new LinuxFeatures(new LinuxCalls(), AuxiliaryVector.osPageSize());

    private LinuxProviders() {}

    static LinuxFeatures features() {
        return FEATURES;
    }

    /** No feature at all: what the oldest kernel offers. */
    static LinuxFeatures noFeatures() {
        LinuxFeatures features =
                new LinuxFeatures(new LinuxCalls(), AuxiliaryVector.OS_PAGE_SIZE_MAX);
        features.dontUnmap = -Errno.EINVAL;
        return features;
    }

    static LinuxMemoryProvider all() {
        return with(new LinuxCalls(), FEATURES);
    }

    /** Ranges are made of the largest OS page of any machine. */
    static LinuxMemoryProvider withLargestPage() {
        return new LinuxMemoryProvider(
                new LinuxCalls(), FEATURES, AuxiliaryVector.OS_PAGE_SIZE_MAX);
    }

    static LinuxMemoryProvider with(LinuxCalls calls, LinuxFeatures features) {
        return new LinuxMemoryProvider(calls, features, AuxiliaryVector.osPageSize());
    }
}
