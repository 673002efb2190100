package io.polder.leak;

import java.util.List;

/**
 * A leak that was found.
 *
 * @param kind what leaked
 * @param bytes the memory it has, and will not give back
 * @param thread the name of the thread that opened it
 * @param openedAt where, innermost frame first
 */
public record Found(Kind kind, long bytes, String thread, List<String> openedAt) {
    /** Makes the list unmodifiable. */
    public Found {
        openedAt = List.copyOf(openedAt);
    }
}
