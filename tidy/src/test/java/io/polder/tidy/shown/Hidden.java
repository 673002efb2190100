package io.polder.tidy.shown;

import java.util.List;

/** Not seen by itself; what it has is seen in {@link Shown}. */
abstract class Hidden<T> {

    protected Hidden() {}

    public final List<? extends T> inherited() {
        return List.of();
    }

    void notReached() {}
}
