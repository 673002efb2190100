package io.polder;

import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/**
 * Tells, once in a process, that the system refuses to take memory back: in a sandbox, as a rule,
 * where anyone who wonders why the process is so large finds nothing else.
 *
 * <p>A refusal comes with locks held. It is noted, and told by a thread that has none.
 *
 * <p>Thread-safe.
 */
final class UncommitRefusalLog implements Consumer<OsCallException>, Runnable {
    static final UncommitRefusalLog INSTANCE = new UncommitRefusalLog();

    private volatile @Nullable OsCallException refusal;

    /** Whether it was told. */
    volatile boolean told;

    private UncommitRefusalLog() {}

    @Override
    public void accept(OsCallException refused) {
        if (refusal == null) {
            refusal = refused;
            PoolBackground.TELLING.execute(this);
        }
    }

    @Override
    public void run() {
        OsCallException refused = refusal;
        if (refused != null && !told) { // two threads may have come at once
            System.getLogger("io.polder")
                    .log(
                            Level.WARNING,
                            "free memory stays with the process, since the system refuses to take"
                                    + " it: "
                                    + refused.getMessage());
            told = true;
        }
    }
}
