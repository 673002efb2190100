package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

/** Closes what a program gave to a cache, if it can be closed. What it throws is logged. */
final class Closing {
    private Closing() {}

    static void close(@Nullable Object part) {
        if (part instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                Warnings.log("a part of a cache could not be closed", e);
            }
        }
    }
}
