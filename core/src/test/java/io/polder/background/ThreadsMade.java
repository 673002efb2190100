package io.polder.background;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Backgrounds whose threads a test makes. */
public final class ThreadsMade {
    private ThreadsMade() {}

    /** A background with these threads, which end soon when there is nothing to do. */
    public static Background by(ThreadFactory threads) {
        return new Background(
                "test",
                threads,
                Clock.SYSTEM,
                TimeUnit.MILLISECONDS.toNanos(1),
                new LogRecorder(),
                null);
    }
}
