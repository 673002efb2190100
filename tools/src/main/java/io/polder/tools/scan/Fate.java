package io.polder.tools.scan;

import java.util.Locale;

/** What becomes of an arena in the method that opens it. */
enum Fate {
    /** Closed on every path, also when something is thrown. */
    CLOSED,
    /** Closed on some paths, and left open on others. */
    SOMETIMES,
    /** Handed to others, in one of the {@linkplain Way ways} there are. */
    ESCAPES,
    /** Neither closed nor handed to others. */
    UNCLOSED,
    /** Not found out: the method is too involved. */
    UNDECIDED;

    /** The name on the command line, in tables and in JSON. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return label();
    }
}
