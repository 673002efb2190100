package io.polder.tools.html;

import java.util.Locale;

/**
 * Colour and dash of whatever belongs to one contender or to one quantity. The colours differ for
 * the colour-blind too, and nothing is told by colour alone: lines differ by their dashes, and
 * everything has its name beside it.
 */
public enum Tone {
    /** What the page is about; the one accent. */
    OURS,
    /** Another quantity of the same. */
    OURS_TOO,
    /** A third one of the same. */
    OURS_THIRD,
    /** What all others are measured by: grey, and filled down to zero. */
    GROUND,
    /** Somebody else. */
    A,
    /** Somebody else. */
    B,
    /** Somebody else. */
    C,
    /** Somebody else. */
    D,
    /** Somebody else. */
    E,
    /** Somebody else. */
    F;

    /** Name in style sheet and script. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
