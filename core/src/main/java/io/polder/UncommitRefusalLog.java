package io.polder;

import io.polder.background.Background;
import io.polder.background.Step;
import io.polder.background.Task;
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
final class UncommitRefusalLog implements Consumer<OsCallException>, Step {
    static final UncommitRefusalLog INSTANCE = new UncommitRefusalLog(PoolBackground.TELLING);

    /** Soon: there is nothing to wait for, but a task has a period. */
    private static final long DELAY_NANOS = 1_000_000;

    private final Task task;
    private volatile @Nullable OsCallException refusal;

    /** Whether it was told. */
    volatile boolean told;

    UncommitRefusalLog(Background background) {
        this.task = background.task(this, DELAY_NANOS);
    }

    @Override
    public void accept(OsCallException refused) {
        if (!told) {
            refusal = refused;
            task.wake();
        }
    }

    @Override
    public boolean run() {
        OsCallException refused = refusal;
        if (refused != null && !told) {
            System.getLogger("io.polder")
                    .log(
                            Level.WARNING,
                            "free memory stays with the process, since the system refuses to take"
                                    + " it: "
                                    + refused.getMessage());
            told = true;
        }
        return false;
    }
}
