package io.polder.memory;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What the kernel allows this process, read once: as soon as it can be.
 *
 * @param osPageSize bytes of an OS page: the unit of commit and uncommit
 * @param maxMapCount how many mappings the process may have ({@code vm.max_map_count}); empty where
 *     there is no such limit
 */
public record KernelLimits(long osPageSize, OptionalLong maxMapCount) {

    /** What a kernel allows as long as nobody changed it. */
    private static final long MAX_MAP_COUNT = 65_530;

    /** Checks that the OS page is a power of two. */
    public KernelLimits {
        if (osPageSize <= 0 || Long.bitCount(osPageSize) != 1) {
            throw new IllegalArgumentException(
                    "the OS page must be a power of two: osPageSize=" + osPageSize);
        }
    }

    /** The limits of this process, from the files under a root. */
    static KernelLimits read(long osPageSize, Path root) throws ProcFile.NotNow {
        return new KernelLimits(
                osPageSize, ProcFile.number(root.resolve("proc/sys/vm/max_map_count")));
    }

    /** What is assumed as long as the files cannot be read. */
    static KernelLimits unread(long osPageSize) {
        return new KernelLimits(osPageSize, OptionalLong.of(MAX_MAP_COUNT));
    }
}
