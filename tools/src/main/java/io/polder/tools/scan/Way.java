package io.polder.tools.scan;

import java.util.Locale;

/** How an arena gets from the method that opens it to others; the plainest way first. */
enum Way {
    /** The method returns it. */
    RETURN,
    /** It is stored in a field or an array. */
    STORE,
    /** A lambda or a method reference holds it. */
    CAPTURE,
    /** It is an argument of a method that may keep it. */
    PASS,
    /** The method that opens it is called through a method reference, by somebody else. */
    REFERENCE;

    /** The name in lists and in JSON. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
