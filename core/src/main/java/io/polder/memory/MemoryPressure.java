package io.polder.memory;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.OptionalLong;

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

    /** Which file has said for how long, until when; empty if none has. */
    private Path source = Path.of("");

    private long stalledMicros;
    private long atNanos;

    /** That of this process, from now on. */
    public MemoryPressure() {
        this(ProcFile.root(), System.nanoTime());
    }

    MemoryPressure(Path root, long nowNanos) {
        this.root = root;
        boolean _ = isHigh(nowNanos);
    }

    /**
     * Whether memory was short since the last look. What cannot be read now is said at the next
     * one; where another file says it than before, or one that counts anew, it is not known.
     */
    public boolean isHigh(long nowNanos) {
        String group = "";
        for (String line : ProcFile.linesIfReadable(root.resolve("proc/self/cgroup"))) {
            group = line.startsWith("0::/") ? line.substring("0::/".length()) : group;
        }
        Path ofMachine = root.resolve("proc/pressure/memory");
        Path ofGroup = ofMachine;
        try {
            ofGroup = root.resolve("sys/fs/cgroup").resolve(group).resolve("memory.pressure");
        } catch (InvalidPathException noPath) {
            // A name that is none for this JVM, as one that is not ASCII is in the POSIX locale
        }
        Path file = total(ofGroup).isPresent() ? ofGroup : ofMachine;
        OptionalLong total = total(file);
        return total.isPresent() && isHigh(file, total.getAsLong(), nowNanos);
    }

    private boolean isHigh(Path file, long micros, long nowNanos) {
        long stalledNanos = (micros - stalledMicros) * 1_000;
        boolean high = file.equals(source) && stalledNanos > (nowNanos - atNanos) * SHORT_SHARE;
        source = file;
        stalledMicros = micros;
        atNanos = nowNanos;
        return high;
    }

    private static OptionalLong total(Path file) {
        for (String line : ProcFile.linesIfReadable(file)) {
            if (line.startsWith("some ") && line.contains(TOTAL)) {
                String total = line.substring(line.indexOf(TOTAL) + TOTAL.length());
                return ProcFile.parse(total);
            }
        }
        return OptionalLong.empty();
    }
}
