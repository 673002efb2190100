package io.polder.stress.soak;

import org.jspecify.annotations.Nullable;

/** What a thread threw, for the one that waits for it. */
final class Captured {
    private volatile @Nullable Throwable thrown;

    Runnable capturing(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Throwable failure) {
                thrown = failure;
            }
        };
    }

    /** Throws it, if there is anything: an error, or a runtime exception. */
    void rethrow() {
        switch (thrown) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            case Throwable checked -> throw new AssertionError("nothing checked", checked);
        }
    }
}
