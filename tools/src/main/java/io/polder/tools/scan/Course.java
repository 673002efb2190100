package io.polder.tools.scan;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where the paths of an arena lead. It is walked forwards, and asked backwards.
 *
 * <pre>{@code
 *                +-> CLOSED                +-> caught --> CLOSED_CAUGHT
 *               /                         /
 *   path --> path ------------------> path --> OPEN
 *                    hand-over ------^
 * }</pre>
 *
 * <p>What comes after a hand-over comes after the path that does it as well: other paths with the
 * same hand-over may lead elsewhere.
 */
final class Course {
    private final Map<Point, Collection<Point>> before = new HashMap<>();

    /** What paths consist of; told apart by {@code equals}. */
    interface Point {}

    /** Where paths end. */
    enum End implements Point {
        /** The method ended, or lost sight of the arena, which is open. */
        OPEN,
        /** The arena was closed, and nothing had been thrown. */
        CLOSED,
        /** The arena was closed, after something had been thrown and caught. */
        CLOSED_CAUGHT
    }

    /** Adds that a point comes after others. */
    void leads(List<Point> from, Point to) {
        before.computeIfAbsent(to, _ -> new HashSet<>()).addAll(from);
    }

    /** Whether any path has an end. */
    boolean reaches(End end) {
        return before.containsKey(end);
    }

    /** The points from which a path goes to an end. */
    Set<Point> leadingTo(End end) {
        Set<Point> found = new HashSet<>();
        Deque<Point> ahead = new ArrayDeque<>(List.of(end));
        while (!ahead.isEmpty()) {
            for (Point point : before.getOrDefault(ahead.pop(), List.of())) {
                if (found.add(point)) {
                    ahead.push(point);
                }
            }
        }
        return found;
    }
}
