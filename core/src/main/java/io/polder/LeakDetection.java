package io.polder;

import io.polder.leak.LeakDetector;

import java.util.List;
import java.util.Locale;

/**
 * How closely a pool looks for leaks: for arenas, pages and heaps that become unreachable without
 * having been closed, and for blocks that are not freed when the pool is closed. What is found is
 * logged by the logger {@code io.polder}, recorded as event {@code io.polder.ArenaLeak} of JDK
 * Flight Recorder, and counted in {@link PoolStatistics#leaks}. When the
 * pool is gone, a line of {@link MemoryPoolMXBean#getFormerLeaks} says so for a while.
 *
 * <p>A program that keeps only the segments of a confined arena, or of one with a deferred close,
 * has nothing to close it by, and it counts as leaked. A segment of a shared arena refers to what
 * its close would run: that is found only when nobody has the segments either.
 */
public enum LeakDetection {
    /** Not at all, and at no cost. */
    OFF,

    /**
     * All pages and heaps, and some arenas and blocks: each thread tracks about one in a
     * millisecond, more where it opens or allocates them at new places, and all if there are few.
     * Costs one to ten nanoseconds for each arena and each block.
     */
    SAMPLED,

    /**
     * All of them; a few microseconds for each arena and block, to remember where it was opened or
     * allocated, and about a KiB of Java heap while it is open or used.
     */
    ALL;

    /** The system property that applies where a pool is not built with another. */
    static final String PROPERTY = "polder.leaks";

    /** What the property says; {@link #OFF} if it is not set, or says nothing that there is. */
    static LeakDetection read(List<String> complaints) {
        String word = PoolSettings.word(PROPERTY, complaints, "off", "sampled", "all");
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    static LeakDetection of(LeakDetector detector) {
        return detector.isAll() ? ALL : detector.isOn() ? SAMPLED : OFF;
    }

    /** As the property and reports say it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
