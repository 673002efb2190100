package io.polder.arena;

import io.polder.chunk.ChunkLevel;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * How large slabs are and how many a thread keeps.
 *
 * <p>Two system properties, each a power of two or 0: {@value #SIZE_PROPERTY} in bytes and {@value
 * #COUNT_PROPERTY}. Either of them 0 turns pooling off.
 *
 * @param bytes the size of a slab in bytes: 0, or a power of two from {@link #BYTES_MIN} to {@link
 *     #BYTES_MAX}
 * @param count the slabs a platform thread keeps: 0, or a power of two up to {@link #COUNT_MAX}
 */
public record SlabSettings(long bytes, int count) {
    /** Names the size of a slab in bytes. */
    public static final String SIZE_PROPERTY = "polder.confined.slab.size";

    /** Names the number of slabs that a platform thread keeps. */
    public static final String COUNT_PROPERTY = "polder.confined.slab.count";

    /** Twice the smallest chunk, which stands in for a slab when a thread has no more. */
    public static final long BYTES_MIN = 2 * ChunkLevel.SMALLEST_BYTES;

    /** A quarter of a root chunk. */
    public static final long BYTES_MAX = ChunkLevel.ROOT_BYTES / 4;

    /** Nesting deeper than this is no common case. */
    public static final int COUNT_MAX = 64;

    /** Four OS pages, of which those that are used get memory: see docs/adr/0003-slabs.md. */
    public static final long BYTES_DEFAULT = 16 << 10;

    /** Five nested arenas are common, and a power of two: see docs/adr/0003-slabs.md. */
    public static final int COUNT_DEFAULT = 8;

    private static final Rule SIZE = new Rule(BYTES_MIN, BYTES_MAX, BYTES_DEFAULT);
    private static final Rule COUNT = new Rule(1, COUNT_MAX, COUNT_DEFAULT);

    /** What applies where nothing is set. */
    public static final SlabSettings DEFAULT = new SlabSettings(BYTES_DEFAULT, COUNT_DEFAULT);

    /** What a value may be: 0, or a power of two between two others; and what it is if not set. */
    private record Rule(long min, long max, long otherwise) {
        long parse(String name, @Nullable String text, List<String> complaints) {
            if (text == null) {
                return otherwise;
            }
            try {
                long value = Long.parseLong(text.strip());
                check(name, value);
                return value;
            } catch (IllegalArgumentException broken) { // or no number
                complaints.add(say(name, text) + "; using " + otherwise);
                return otherwise;
            }
        }

        void check(String name, long value) {
            if (value != 0 && (value < min || value > max || Long.bitCount(value) != 1)) {
                throw new IllegalArgumentException(say(name, Long.toString(value)));
            }
        }

        private String say(String name, String value) {
            String range = " must be 0 (off) or a power of two from " + min + " to " + max;
            return name + range + ": value=" + value;
        }
    }

    /** Checks the rules. */
    public SlabSettings {
        SIZE.check("bytes of a slab", bytes);
        COUNT.check("slabs of a thread", count);
    }

    /** Whether arenas are pooled at all. */
    public boolean enabled() {
        return bytes != 0 && count != 0;
    }

    /**
     * Reads the settings. A value that breaks its rule is not used: the default is, and the
     * complaint says so.
     *
     * @param size the value of {@value #SIZE_PROPERTY}; null if that is not set
     * @param count the value of {@value #COUNT_PROPERTY}; null if that is not set
     * @param complaints gets a sentence for each value that breaks its rule
     */
    public static SlabSettings parse(
            @Nullable String size, @Nullable String count, List<String> complaints) {
        return new SlabSettings(
                SIZE.parse(SIZE_PROPERTY, size, complaints),
                (int) COUNT.parse(COUNT_PROPERTY, count, complaints));
    }
}
