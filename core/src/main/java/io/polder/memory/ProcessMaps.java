package io.polder.memory;

import java.util.List;
import java.util.OptionalInt;

/**
 * The mappings of this process, as {@code /proc/self/maps} lists them: one line each, and as many
 * as count against {@link KernelLimits#maxMapCount}. A snapshot that other threads may outdate
 * while it is taken; reading it costs the kernel time in proportion to the mappings.
 */
public final class ProcessMaps {

    private ProcessMaps() {}

    /**
     * One mapping. Addresses are unsigned.
     *
     * @param start its first address
     * @param end the address behind its last
     * @param permissions as in {@code rw-p}
     */
    public record Mapping(long start, long end, String permissions) {

        boolean overlaps(long address, long bytes) {
            return Long.compareUnsigned(start, address + bytes) < 0
                    && Long.compareUnsigned(address, end) < 0;
        }

        /** Parses the beginning of a line: {@code 7f0000000000-7f0000200000 rw-p ...}. */
        static Mapping parse(String line) {
            int dash = line.indexOf('-');
            int space = line.indexOf(' ', dash);
            int next = line.indexOf(' ', space + 1);
            return new Mapping(
                    Long.parseUnsignedLong(line, 0, dash, 16),
                    Long.parseUnsignedLong(line, dash + 1, space, 16),
                    line.substring(space + 1, next));
        }
    }

    /** How many mappings the process has; empty where the system does not tell. */
    public static OptionalInt count() {
        int count = lines().size();
        return count == 0 ? OptionalInt.empty() : OptionalInt.of(count);
    }

    /**
     * The mappings that hold at least one byte of a range, by address; empty where the system does
     * not tell. The first and the last may reach beyond the range: the kernel joins neighbours that
     * are alike.
     */
    public static List<Mapping> overlapping(long address, long bytes) {
        return lines().stream()
                .map(Mapping::parse)
                .filter(mapping -> mapping.overlaps(address, bytes))
                .toList();
    }

    /** The addresses that all mappings take up together; zero where the system does not tell. */
    public static long mappedBytes() {
        return lines().stream()
                .map(Mapping::parse)
                .mapToLong(mapping -> mapping.end() - mapping.start())
                .sum();
    }

    private static List<String> lines() {
        return ProcFile.linesIfReadable(ProcFile.root().resolve("proc/self/maps"));
    }
}
