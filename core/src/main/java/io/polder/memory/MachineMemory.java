package io.polder.memory;

import java.nio.file.Path;
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
    private static final long KIB = 1024;

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
        long memory = 0;
        long swap = 0;
        for (String line : ProcFile.lines(root.resolve("proc/meminfo"))) {
            if (line.startsWith("MemTotal:")) {
                memory = kibibytes(line);
            } else if (line.startsWith("SwapTotal:")) {
                swap = kibibytes(line);
            }
        }
        return memory == 0 ? UNBOUNDED : new MachineMemory(memory, swap);
    }

    /** The number of a line as {@code MemTotal:  24684084 kB}, in bytes; 0 if there is none. */
    private static long kibibytes(String line) {
        String number = line.substring(line.indexOf(':') + 1).replace("kB", "").trim();
        return KIB * Math.min(ProcFile.parse(number).orElse(0), (1L << 47) / KIB);
    }
}
