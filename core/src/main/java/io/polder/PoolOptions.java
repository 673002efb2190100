package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.memory.MemoryLimits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * What a pool is to be built with, as far as somebody said it. What is null is as in the settings
 * of the process.
 *
 * <p>Not thread-safe. Whether it makes sense is checked by {@link #settings}.
 */
final class PoolOptions {
    String name = "pool";
    long committedMaxBytes = MemoryLimits.NONE.committedMaxBytes();
    long reservedMaxBytes = MemoryLimits.NONE.reservedMaxBytes();
    Duration decay = PoolSettings.DECAY_DEFAULT;
    boolean logExhaustion;
    boolean hugePages;
    @Nullable SlabSettings slabs;
    @Nullable LeakDetection leaks;
    @Nullable Boolean checkBlocks;

    /**
     * What was said, completed.
     *
     * @param process what applies in this process where nothing was said
     * @throws IllegalArgumentException if something is out of its range
     */
    PoolSettings settings(PoolSettings process) {
        return new PoolSettings(
                name,
                new MemoryLimits(committedMaxBytes, reservedMaxBytes),
                decay,
                logExhaustion,
                hugePages,
                slabs == null ? process.slabs() : slabs,
                leaks == null ? process.leaks() : leaks,
                checkBlocks == null ? process.checkBlocks() : checkBlocks);
    }
}
