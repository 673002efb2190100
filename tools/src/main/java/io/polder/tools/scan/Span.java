package io.polder.tools.scan;

import java.util.ArrayList;
import java.util.List;

/** A part of the whole scan, for the progress bar: from a share to a share, 0 to 1. */
record Span(double from, double to) {
    static final Span ALL = new Span(0, 1);

    /** How far the whole scan is when a share of this part is done. */
    double at(double share) {
        return from + (to - from) * share;
    }

    /**
     * Splits the part.
     *
     * @param weights one for each smaller part, not negative
     */
    List<Span> split(List<Long> weights) {
        double whole = Math.max(1, weights.stream().mapToLong(Long::longValue).sum());
        List<Span> parts = new ArrayList<>();
        double done = 0;
        for (long weight : weights) {
            parts.add(new Span(at(done / whole), at((done + weight) / whole)));
            done += weight;
        }
        return parts;
    }
}
