package io.polder.cache;

import org.jspecify.annotations.Nullable;

/**
 * Where the index has an entry, as it was a moment ago; and, if a hand stopped there, at which
 * turn, and how often its key was asked for.
 */
final class Lane {
    long handle;
    long bucket;
    long line;
    int lane;

    /** The first word of the line. */
    long word;

    int frequency;
    long turn;
    PageOrder.@Nullable Group group;

    int state() {
        return BucketLayout.state(word, lane);
    }
}
