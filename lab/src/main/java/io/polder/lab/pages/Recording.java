package io.polder.lab.pages;

import io.polder.lab.pages.Latencies.Group;
import io.polder.lab.pages.Outcome.Value;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a measuring JVM tells its parent, line by line.
 *
 * <pre>{@code
 *   base 181                         mappings of the process before the run
 *   point 12345 1 ...                see Point
 *   takes MUTATOR_SMALL HISTFAAA...  one for each group, compressed
 *   value WALL_NANOS 123456789       one for each value of the outcome
 *   collections 0                    of the JVM's own heap, during the run; the last line
 * }</pre>
 *
 * <p>Not thread-safe.
 */
final class Recording {
    private static final String BASE = "base";
    private static final String POINT = "point";
    private static final String TAKES = "takes";
    private static final String VALUE = "value";
    private static final String COLLECTIONS = "collections";

    private final List<Point> points = new ArrayList<>();
    private final Latencies latencies = new Latencies();
    private final Set<Group> groups = EnumSet.noneOf(Group.class);
    private final Map<Value, Long> values = new EnumMap<>(Value.class);
    private long baseMaps;
    private OptionalLong collections = OptionalLong.empty();

    static String baseLine(long maps) {
        return BASE + " " + maps;
    }

    static String pointLine(Point point) {
        return POINT + " " + point.line();
    }

    /** The lines after the last point. */
    static void writeEnd(Outcome outcome, long collections, Consumer<String> lines) {
        for (Group group : Group.values()) {
            lines.accept(TAKES + " " + group + " " + outcome.latencies().encode(group));
        }
        for (Value value : Value.values()) {
            lines.accept(VALUE + " " + value + " " + outcome.get(value));
        }
        lines.accept(COLLECTIONS + " " + collections);
    }

    /**
     * Takes in a line.
     *
     * @throws IllegalArgumentException if it is none of those above
     */
    void accept(String line) {
        List<String> words = List.of(line.split(" ", 2));
        String rest = words.getLast();
        switch (words.getFirst()) {
            case BASE -> baseMaps = Long.parseLong(rest);
            case POINT -> points.add(Point.parse(rest));
            case TAKES -> {
                Group group = Group.valueOf(first(rest));
                latencies.addEncoded(group, second(rest));
                groups.add(group);
            }
            case VALUE -> values.put(Value.valueOf(first(rest)), Long.valueOf(second(rest)));
            case COLLECTIONS -> collections = OptionalLong.of(Long.parseLong(rest));
            default -> throw new IllegalArgumentException("unexpected line: line=" + line);
        }
    }

    private static String first(String rest) {
        return rest.substring(0, space(rest));
    }

    private static String second(String rest) {
        return rest.substring(space(rest) + 1);
    }

    private static int space(String rest) {
        int space = rest.indexOf(' ');
        if (space < 0) {
            throw new IllegalArgumentException("a name and a value: rest=" + rest);
        }
        return space;
    }

    /** Whether all is there. */
    boolean isComplete() {
        return collections.isPresent()
                && !points.isEmpty()
                && groups.size() == Group.values().length
                && values.size() == Value.values().length;
    }

    /** All points, in the order of time. */
    List<Point> points() {
        return List.copyOf(points);
    }

    /** The last point. */
    Point end() {
        return points.getLast();
    }

    /** The largest of a number over all points. */
    long max(Point.Value value) {
        return points.stream().mapToLong(point -> point.get(value)).max().orElse(0);
    }

    /** Mappings beyond those before the run, at most. */
    long mapsAdded() {
        return Math.max(0, max(Point.Value.MAPS) - baseMaps);
    }

    /** Memory of the source at most, for each byte of live objects at most. */
    double committedOverLive() {
        return (double) max(Point.Value.COMMITTED_BYTES) / max(Point.Value.LIVE_BYTES);
    }

    /** What the run came to. */
    Outcome outcome() {
        return new Outcome(latencies, values);
    }

    /** Collections of the Java heap during the run. */
    long collections() {
        return collections.orElseThrow();
    }
}
