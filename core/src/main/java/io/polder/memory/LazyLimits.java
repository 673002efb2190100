package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The limits of this process, read when they are first asked for: a program that only opens arenas
 * need not wait for files that nobody looks into.
 *
 * <p>What was read stays true until it was read again. What could not be read, because descriptors
 * or memory had run out, is read when it is asked for the next time; until then nothing is assumed
 * that could exceed what there is but the size of the machine and how many mappings there may be,
 * which the kernel guards itself.
 *
 * <p>Thread-safe: the lock is for those who read files. What is known is read without it, since
 * virtual threads that met it with memory of theirs would wait until all others have run.
 */
final class LazyLimits {

    /** Of {@code vm.overcommit_memory}: all memory that could be written is charged. */
    private static final long OVERCOMMIT_NEVER = 2;

    private final Path root;
    private long maxMapCount = MemoryProvider.MAX_MAP_COUNT;
    private volatile @Nullable Boolean strictOvercommit;
    private volatile @Nullable MachineMemory machine;

    /** The limits of the system whose files are under a root. */
    LazyLimits(Path root) {
        this.root = root;
    }

    /** How many mappings the process may have; read each time. */
    synchronized long maxMapCount() {
        try {
            OptionalLong count = ProcFile.number(root.resolve("proc/sys/vm/max_map_count"));
            maxMapCount = count.orElse(MemoryProvider.MAX_MAP_COUNT);
        } catch (ProcFile.NotNow later) {
            // What it was stays.
        }
        return maxMapCount;
    }

    /**
     * Whether memory is charged to the machine's commit limit before it is touched, or it is not
     * known yet.
     */
    boolean strictOvercommit() {
        Boolean known = strictOvercommit;
        return known == null ? readStrictOvercommit() : known;
    }

    private synchronized boolean readStrictOvercommit() {
        Boolean known = strictOvercommit;
        if (known == null) {
            try {
                OptionalLong mode = ProcFile.number(root.resolve("proc/sys/vm/overcommit_memory"));
                known = mode.orElse(0) == OVERCOMMIT_NEVER;
                strictOvercommit = known;
            } catch (ProcFile.NotNow later) {
                return true;
            }
        }
        return known;
    }

    /**
     * What bounds a single allocation, if that is less than this; otherwise null. Swap may be
     * added, so nothing is refused by what was read before.
     */
    @Nullable MachineMemory exceededBy(long bytes) {
        MachineMemory known = machine;
        return known != null && bytes <= known.bytes() ? null : readExceededBy(bytes);
    }

    private synchronized @Nullable MachineMemory readExceededBy(long bytes) {
        MachineMemory known = machine;
        if (known == null || bytes > known.bytes()) {
            try {
                known = MachineMemory.read(root);
                machine = known;
            } catch (ProcFile.NotNow later) {
                // What it was stays.
            }
        }
        return known != null && bytes > known.bytes() ? known : null;
    }
}
