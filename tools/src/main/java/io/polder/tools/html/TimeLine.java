package io.polder.tools.html;

import java.util.List;

/**
 * Quantities of one unit over time, or over whatever else goes on from left to right.
 *
 * @param caption what it shows
 * @param across what goes on from left to right, and its unit; not shown where there are marks
 * @param unit of the quantities
 * @param lines at least one
 * @param marks moments to be named, from left to right; may be empty
 */
public record TimeLine(
        Caption caption, String across, Unit unit, List<Line> lines, List<Mark> marks)
        implements Chart {
    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if there is no line
     */
    public TimeLine {
        lines = List.copyOf(lines);
        marks = List.copyOf(marks);
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("a time line has a line: caption=" + caption);
        }
    }

    @Override
    public List<Term> terms() {
        return lines.stream().map(Line::what).distinct().toList();
    }

    /**
     * A point of a line.
     *
     * @param x from left to right
     * @param y the quantity
     */
    public record Point(double x, double y) {}

    /** A moment. */
    public record Mark(double x, String label) {}

    /**
     * A quantity.
     *
     * @param what its name, beside the line
     * @param tone of the line
     * @param points at least one, from left to right
     */
    public record Line(Term what, Tone tone, List<Point> points) {
        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException if there is no point, or one lies left of its
         *     predecessor
         */
        public Line {
            points = List.copyOf(points);
            if (points.isEmpty()) {
                throw new IllegalArgumentException("a line has a point: name=" + what.name());
            }
            for (int i = 1; i < points.size(); i++) {
                if (points.get(i).x() < points.get(i - 1).x()) {
                    throw new IllegalArgumentException(
                            "points go from left to right: name=" + what.name() + ", index=" + i);
                }
            }
        }

        /** A line whose name says it all. */
        public Line(String name, Tone tone, List<Point> points) {
            this(Term.of(name), tone, points);
        }

        /** Its name. */
        public String name() {
            return what.name();
        }

        /** The quantity at the last point that is not right of {@code x}. */
        double at(double x) {
            double y = points.getFirst().y();
            for (Point point : points) {
                if (point.x() > x) {
                    break;
                }
                y = point.y();
            }
            return y;
        }

        double highest() {
            return points.stream().mapToDouble(Point::y).max().orElseThrow();
        }
    }
}
