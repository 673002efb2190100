package io.polder.micrometer;

import java.util.HashSet;
import java.util.Set;

/**
 * The tags that pools have, and those that further ones get. A pool may be called as another one is
 * tagged: {@code cache #2} is the second one called {@code cache}, or one of that name.
 *
 * <p>Not thread-safe.
 */
final class FreeTags {
    private final Set<String> taken = new HashSet<>();

    /** Somebody has it. */
    void take(String tag) {
        taken.add(tag);
    }

    /** Takes the tag of a pool: its name, with its number or the next one that is free. */
    String takeOf(String name, int number) {
        int free = number;
        while (!taken.add(tag(name, free))) {
            free++;
        }
        return tag(name, free);
    }

    private static String tag(String name, int number) {
        return number == 1 ? name : name + " #" + number;
    }
}
