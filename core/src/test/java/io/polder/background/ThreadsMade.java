package io.polder.background;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Backgrounds whose threads a test makes. */
public final class ThreadsMade {
    private ThreadsMade() {}

    /** A background with these threads, which end soon when there is nothing to do. */
    public static Background by(ThreadFactory threads) {
        return by(threads, null);
    }

    /** A background to which somebody else says the time. */
    public static Background timedBy(LongSupplier nanoTime) {
        Clock clock =
                new Clock() {
                    @Override
                    public long nanoTime() {
                        return nanoTime.getAsLong();
                    }
                };
        return new Background("test", null, clock, 1, new LogRecorder(), null);
    }

    /** The same; another one tells of what fails. */
    public static Background by(ThreadFactory threads, @Nullable Background telling) {
        return new Background(
                "test",
                threads,
                Clock.SYSTEM,
                TimeUnit.MILLISECONDS.toNanos(1),
                new LogRecorder(),
                telling);
    }
}
