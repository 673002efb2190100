package io.polder.leak;

import java.util.Locale;

/** What can leak. */
public enum Kind {
    CONFINED_ARENA,
    SHARED_ARENA,
    DEFERRED_ARENA,
    FREEING_ARENA,
    PAGE,
    HEAP,
    BLOCKS;

    /** As people call it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
