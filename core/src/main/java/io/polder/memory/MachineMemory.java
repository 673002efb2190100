package io.polder.memory;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the machine has, as far as Linux judges the size of an allocation by it.
 *
 * <p>With {@code vm.overcommit_memory=0}, the default, the kernel refuses a single allocation of
 * {@code malloc} that is larger than all memory and swap together, and none that is smaller. It
 * does not look at control groups for that, so neither do we: a process that touches more than its
 * group may have is ended, no matter who allocated. With 1 there is no such rule, and with 2 the
 * kernel charges what it maps and refuses by itself.
 *
 * @param memoryBytes {@code MemTotal} of {@code /proc/meminfo}
 * @param swapBytes {@code SwapTotal}
 */
public record MachineMemory(long memoryBytes, long swapBytes) {
    /** Where the kernel sets no bound by size, or does not tell. */
    static final MachineMemory UNBOUNDED = new MachineMemory(Long.MAX_VALUE, 0);

    /** What the largest allocation may have, in bytes. */
    public long bytes() {
        return memoryBytes + swapBytes;
    }

    /** Read from the files under a root. */
    static MachineMemory read(Path root) throws ProcFile.NotNow {
        OptionalLong mode = ProcFile.number(root.resolve("proc/sys/vm/overcommit_memory"));
        if (mode.isEmpty() || mode.getAsLong() != 0) {
            return UNBOUNDED;
        }
        List<String> lines = ProcFile.lines(root.resolve("proc/meminfo"));
        long memory = ProcFile.bytes(lines, "MemTotal:");
        long swap = ProcFile.bytes(lines, "SwapTotal:");
        return memory <= 0 ? UNBOUNDED : new MachineMemory(memory, Math.max(0, swap));
    }
}
