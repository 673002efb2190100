package io.polder.tools.scan;

import com.fasterxml.jackson.annotation.JsonValue;

import io.polder.tools.terminal.Printable;

import java.util.Locale;

/**
 * Something that could not be read, and was left out.
 *
 * @param where name of the class file or the jar; this and the next are {@linkplain Printable
 *     printable}
 * @param what the rule that it breaks
 */
record Problem(Kind kind, String where, String what) {
    /** Makes the texts printable. */
    Problem {
        where = Printable.of(where);
        what = Printable.of(what);
    }

    /** Why. */
    enum Kind {
        /** It is not what its name says, or a part of it is missing or wrong. */
        DAMAGED,
        /** A class file of a later Java than the one that runs. */
        NEWER,
        /** The system gave it not, or it is larger than what is read. */
        UNREADABLE;

        /** The name in JSON. */
        @JsonValue
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
