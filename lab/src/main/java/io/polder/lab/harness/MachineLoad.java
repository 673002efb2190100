package io.polder.lab.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Time of processors, counted by the kernel since the machine was started, in ticks.
 *
 * <pre>{@code
 *   /proc/stat       cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...   of all processors
 *   /proc/self/stat  PID (NAME) ... UTIME STIME CUTIME CSTIME ...             fields 14 to 17
 * }</pre>
 *
 * <p>The times of guests that follow in the first line are part of what stands before them.
 *
 * @param all that there was, idle time with it
 * @param busy of it, what anybody used; stolen time is used by other virtual machines
 * @param own of it, what this process used and the processes that it has waited for
 */
public record MachineLoad(long all, long busy, long own) {
    /** From this part of all processors on, others disturb what is measured. A guess. */
    static final double BUSY = 0.1;

    private static final Path STAT = Path.of("/proc/stat");
    private static final Path OWN_STAT = Path.of("/proc/self/stat");

    /** Fields of the first line that count, after its name, and those of idle time among them. */
    private static final int FIELDS = 8;

    private static final int IDLE = 3;
    private static final int IO_WAIT = 4;

    /** Of the process's line, after its name: the first of the four that count. */
    private static final int UTIME = 11;

    private static final int UTIME_TO_CSTIME = 4;

    /** The load up to now; empty where the kernel does not tell. */
    public static Optional<MachineLoad> now() {
        try {
            return Optional.of(parse(Files.readString(STAT), Files.readString(OWN_STAT)));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads the two files.
     *
     * @throws IllegalArgumentException if they are something else
     */
    static MachineLoad parse(String stat, String ownStat) {
        List<Long> fields = numbers(stat.lines().findFirst().orElse(""), "cpu ", 0, FIELDS);
        long all = sum(fields);
        return new MachineLoad(
                all,
                all - fields.get(IDLE) - fields.get(IO_WAIT),
                sum(numbers(ownStat, ") ", UTIME, UTIME_TO_CSTIME)));
    }

    /** Part of all processors that others had since an earlier moment, 0 to 1. */
    public double othersSince(MachineLoad earlier) {
        long others = busy - earlier.busy - (own - earlier.own);
        return Math.clamp(others / (double) Math.max(1, all - earlier.all), 0, 1);
    }

    /** What to say of a part that others had; nothing if it is small. */
    public static Optional<String> warning(double others) {
        return others < BUSY
                ? Optional.empty()
                : Optional.of(
                        String.format(
                                Locale.ROOT,
                                "Busy machine: other programs had %.0f %% of the processors."
                                        + " Measure again when it is idle.",
                                others * 100));
    }

    /** So many numbers, from one of those behind the last of a text on. */
    private static List<Long> numbers(String line, String behind, int from, int count) {
        int at = line.lastIndexOf(behind);
        String[] words = line.substring(at + behind.length()).strip().split("\\s+", -1);
        if (at < 0 || words.length < from + count) {
            throw new IllegalArgumentException("a line of times: line=" + line);
        }
        return Arrays.stream(words, from, from + count).map(Long::valueOf).toList();
    }

    private static long sum(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).sum();
    }
}
