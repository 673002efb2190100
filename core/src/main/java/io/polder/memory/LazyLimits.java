package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * The limits of this process, read when they are first asked for: a program that only opens arenas
 * need not wait for files that nobody looks into.
 *
 * <p>Thread-safe.
 */
final class LazyLimits {

    private final long osPageSize;
    private @Nullable KernelLimits limits;

    LazyLimits(long osPageSize) {
        this.osPageSize = osPageSize;
    }

    /** The limits; the same ever after. */
    synchronized KernelLimits get() {
        if (limits == null) {
            limits = KernelLimits.read(osPageSize);
        }
        return limits;
    }
}
