package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Message;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What a pool was built with.
 *
 * @param name how messages and reports call it
 * @param limits how much memory it may have
 * @param decay how long free memory stays committed, at least
 * @param logExhaustion whether an arena that fails is logged with the report and the map
 * @param hugePages whether the system is asked for huge pages behind pages
 * @param slabs what threads keep
 * @param leaks how closely it looks for leaks
 * @param checkBlocks whether it looks for misuse of blocks
 * @param clearAtClose whether arenas clear all that they had when they are closed
 */
record PoolSettings(
        String name,
        MemoryLimits limits,
        Duration decay,
        boolean logExhaustion,
        boolean hugePages,
        SlabSettings slabs,
        LeakDetection leaks,
        boolean checkBlocks,
        boolean clearAtClose) {

    /** The system property that applies where a pool is not built with another. */
    static final String BLOCKS_CHECK_PROPERTY = "polder.blocks.check";

    /** The same of when memory is cleared. */
    static final String CLEAR_PROPERTY = "polder.clear";

    static final Duration DECAY_DEFAULT = Duration.ofSeconds(1);

    /** Shorter than this, ticks would cost more than they give. */
    static final Duration DECAY_MIN = Duration.ofMillis(1);

    static final Duration DECAY_MAX = Duration.ofDays(1);

    /**
     * The word that a system property says.
     *
     * @param complaints has one more then, if it says something else than it may
     * @param words what it may say: the first of them applies if it is not set, or says something
     *     else
     */
    static String word(String property, List<String> complaints, String... words) {
        String value = System.getProperty(property, words[0]);
        String word = value.strip().toLowerCase(Locale.ROOT);
        if (List.of(words).contains(word)) {
            return word;
        }
        complaints.add(
                Message.of(
                        "% must be one of %: value=%; using %",
                        property, String.join(", ", words), value, words[0]));
        return words[0];
    }

    /** Checks the rules that no other type checks. */
    PoolSettings {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a pool's name must not be blank: name=" + name);
        }
        if (decay.compareTo(DECAY_MIN) < 0 || decay.compareTo(DECAY_MAX) > 0) {
            throw new IllegalArgumentException(
                    "decay must be from " + DECAY_MIN + " to " + DECAY_MAX + ": decay=" + decay);
        }
    }
}
