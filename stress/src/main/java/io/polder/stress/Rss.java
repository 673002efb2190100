package io.polder.stress;

import io.polder.memory.ProcessCheck;

/** The growth of the resident set between a warm-up and the end of a soak. */
final class Rss {
    /** What a soak may grow by: 512 slabs of the default size, were they leaked and full. */
    static final long GROWTH_MAX_BYTES = 8L << 20;

    private static final double MIB = 1 << 20;

    private final long warmBytes;

    private Rss(long warmBytes) {
        this.warmBytes = warmBytes;
    }

    /** Looks now, after the warm-up. */
    static Rss warm() {
        return new Rss(now());
    }

    /** Looks again and prints both figures; returns whether the growth is within the limit. */
    boolean report() {
        long endBytes = now();
        long growthBytes = endBytes - warmBytes;
        System.out.printf(
                "RSS: warm %.1f MiB, end %.1f MiB, growth %.2f MiB, limit %.0f MiB%n",
                warmBytes / MIB, endBytes / MIB, growthBytes / MIB, GROWTH_MAX_BYTES / MIB);
        return growthBytes < GROWTH_MAX_BYTES;
    }

    /** Whether it grew by no more than a soak may. */
    boolean isWithinLimit() {
        return now() - warmBytes < GROWTH_MAX_BYTES;
    }

    /** Whether nearly nothing was added since: less than a sixteenth of the limit. */
    boolean isStill() {
        return now() - warmBytes < GROWTH_MAX_BYTES / 16;
    }

    /** What it is now, in words. */
    static String show() {
        return String.format("RSS %.1f MiB", now() / MIB);
    }

    private static long now() {
        return ProcessCheck.rssBytes()
                .orElseThrow(() -> new IllegalStateException("this system does not tell RSS"));
    }
}
