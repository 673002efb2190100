package io.polder.memory;

import java.nio.file.Path;
import java.util.List;

/**
 * Whether the system is short of memory: Linux counts how long threads stood still because of it,
 * for the control group of the process and for the machine (pressure stall information). Where it
 * does not tell, the system is never short.
 *
 * <p>Not thread-safe.
 */
public final class MemoryPressure {
    /** Guessed: for this part of the time some thread stood still. */
    private static final double SHORT_SHARE = 0.1;

    private static final String TOTAL = "total=";
    private final Path root;
    private long stalledMicros;
    private long atNanos;

    /** That of this process, from now on. */
    public MemoryPressure() {
        this(ProcFile.root(), System.nanoTime());
    }

    MemoryPressure(Path root, long nowNanos) {
        this.root = root;
        this.atNanos = nowNanos;
        this.stalledMicros = stalled();
    }

    /** Whether memory was short since the last look. */
    public boolean isHigh(long nowNanos) {
        long now = stalled();
        long stalledNanos = (now - stalledMicros) * 1_000;
        boolean high = stalledNanos > (nowNanos - atNanos) * SHORT_SHARE;
        stalledMicros = now;
        atNanos = nowNanos;
        return high;
    }

    private long stalled() {
        String group = "";
        for (String line : ProcFile.linesIfReadable(root.resolve("proc/self/cgroup"))) {
            group = line.startsWith("0::/") ? line.substring("0::/".length()) : group;
        }
        Path ofGroup = root.resolve("sys/fs/cgroup").resolve(group).resolve("memory.pressure");
        List<String> lines = ProcFile.linesIfReadable(ofGroup);
        if (lines.isEmpty()) {
            lines = ProcFile.linesIfReadable(root.resolve("proc/pressure/memory"));
        }
        for (String line : lines) {
            if (line.startsWith("some ") && line.contains(TOTAL)) {
                String total = line.substring(line.indexOf(TOTAL) + TOTAL.length());
                return ProcFile.parse(total).orElse(0);
            }
        }
        return 0;
    }
}
