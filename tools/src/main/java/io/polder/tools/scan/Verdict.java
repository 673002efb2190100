package io.polder.tools.scan;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of one arena.
 *
 * @param way how it gets to others; present exactly if it {@linkplain Fate#ESCAPES escapes}
 */
record Verdict(Fate fate, @Nullable Way way) {
    /** Checks the rule. */
    Verdict {
        if ((fate == Fate.ESCAPES) != (way != null)) {
            throw new IllegalArgumentException(
                    "what escapes does so in a way: fate=" + fate + ", way=" + way);
        }
    }

    /** A fate other than {@link Fate#ESCAPES}. */
    static Verdict of(Fate fate) {
        return new Verdict(fate, null);
    }

    static Verdict escapes(Way way) {
        return new Verdict(Fate.ESCAPES, way);
    }

    /** As in a list: {@code escapes (return)}. */
    String label() {
        return way == null ? fate.label() : fate.label() + " (" + way.label() + ")";
    }
}
