package io.polder.cache.jcache;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

import javax.cache.CacheException;

/**
 * Does several things, each of them also after another has failed. The first failure is thrown when
 * all are done, with the others suppressed.
 */
final class Attempts {
    private Attempts() {}

    static void all(Runnable... actions) {
        forEach(List.of(actions), Runnable::run);
    }

    static <T extends @Nullable Object> void forEach(Iterable<T> all, Consumer<? super T> action) {
        Throwable first = null;
        for (T each : all) {
            first = attempt(each, action, first);
        }
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new CacheException("a part of an operation has thrown", first);
        }
    }

    /** Returns the first failure so far. */
    private static <T extends @Nullable Object> @Nullable Throwable attempt(
            T each, Consumer<? super T> action, @Nullable Throwable first) {
        try {
            action.accept(each);
            return first;
        } catch (Throwable thrown) { // a program in another language may throw anything
            if (first == null) {
                return thrown;
            }
            if (first != thrown) {
                first.addSuppressed(thrown);
            }
            return first;
        }
    }
}
