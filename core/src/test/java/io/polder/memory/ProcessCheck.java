package io.polder.memory;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What the kernel says that this process has: its mappings, as {@code /proc/self/maps} lists them,
 * one line each and as many as count against {@link MemoryProvider#maxMapCount}; and its resident
 * set. For tests, the lab and the stress tests. A snapshot that other threads may
 * outdate while it is taken; reading it costs the kernel time in proportion to the mappings.
 */
public final class ProcessCheck {

    private ProcessCheck() {}

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

    /**
     * The resident set, exact: summed over the page tables, where the cheaper counters of the
     * kernel lag behind by some pages per thread. Empty where the system does not tell.
     */
    public static OptionalLong rssBytes() {
        return rssBytes(ProcFile.root());
    }

    static OptionalLong rssBytes(Path root) {
        for (String line : ProcFile.linesIfReadable(root.resolve("proc/self/smaps_rollup"))) {
            if (line.startsWith("Rss:")) {
                // As in "Rss:      1732 kB".
                String number = line.substring("Rss:".length(), line.length() - "kB".length());
                OptionalLong kib = ProcFile.parse(number.trim());
                return kib.isPresent()
                        ? OptionalLong.of(kib.getAsLong() << 10)
                        : OptionalLong.empty();
            }
        }
        return OptionalLong.empty();
    }

    private static List<String> lines() {
        return ProcFile.linesIfReadable(ProcFile.root().resolve("proc/self/maps"));
    }
}
