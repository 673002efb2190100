package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.memory.MemoryLimits;

import org.jspecify.annotations.Nullable;

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
     * The word that a property says.
     *
     * @param value its value; null if it is not set
     * @param words what it may say
     * @param unset which of them applies if it is not set, or says something else
     * @param complaints has one more then, in that last case
     */
    static String word(
            String property,
            @Nullable String value,
            List<String> words,
            String unset,
            List<String> complaints) {
        String word = value == null ? unset : value.strip().toLowerCase(Locale.ROOT);
        if (words.contains(word)) {
            return word;
        }
        int last = words.size() - 1;
        complaints.add(
                property
                        + " must be "
                        + String.join(", ", words.subList(0, last))
                        + " or "
                        + words.get(last)
                        + ": value="
                        + value
                        + "; using "
                        + unset);
        return unset;
    }

    /** What the property about blocks says; false if it is not set, or says nothing there is. */
    static boolean parseBlocksCheck(@Nullable String value, List<String> complaints) {
        return word(BLOCKS_CHECK_PROPERTY, value, List.of("on", "off"), "off", complaints)
                .equals("on");
    }

    /** What the property about clearing says; false if it is not set, or says nothing there is. */
    static boolean parseClear(@Nullable String value, List<String> complaints) {
        return word(CLEAR_PROPERTY, value, List.of("close", "use"), "use", complaints)
                .equals("close");
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
