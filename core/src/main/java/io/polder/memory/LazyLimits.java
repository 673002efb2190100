package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The limits of this process, read when they are first asked for: a program that only opens arenas
 * need not wait for files that nobody looks into.
 *
 * <p>Thread-safe.
 */
final class LazyLimits {

    /** Of {@code vm.overcommit_memory}: all memory that could be written is charged. */
    private static final long OVERCOMMIT_NEVER = 2;

    private final long osPageSize;
    private final @Nullable Path root;
    private @Nullable KernelLimits limits;
    private @Nullable Boolean strictOvercommit;
    private @Nullable MachineMemory machine;

    LazyLimits(long osPageSize) {
        this.osPageSize = osPageSize;
        this.root = null;
    }

    /** For tests: the limits of a system whose files are in a folder. */
    LazyLimits(long osPageSize, Path root) {
        this.osPageSize = osPageSize;
        this.root = root;
    }

    /** The limits; the same ever after. */
    synchronized KernelLimits get() {
        if (limits == null) {
            limits = KernelLimits.read(osPageSize, root());
        }
        return limits;
    }

    /** Whether memory is charged to the machine's commit limit before it is touched. */
    synchronized boolean strictOvercommit() {
        if (strictOvercommit == null) {
            OptionalLong mode = ProcFile.number(root().resolve("proc/sys/vm/overcommit_memory"));
            strictOvercommit = mode.orElse(0) == OVERCOMMIT_NEVER;
        }
        return strictOvercommit;
    }

    /**
     * What bounds a single allocation, if that is less than so much; otherwise null. Swap may be
     * added, so nothing is refused by what was read before.
     */
    synchronized @Nullable MachineMemory exceededBy(long bytes) {
        MachineMemory known = machine;
        if (known == null || bytes > known.bytes()) {
            known = MachineMemory.read(root());
            machine = known;
        }
        return bytes > known.bytes() ? known : null;
    }

    private Path root() {
        return root == null ? ProcFile.root() : root;
    }
}
