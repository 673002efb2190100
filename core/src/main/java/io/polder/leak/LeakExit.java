package io.polder.leak;

import io.polder.background.LibraryThread;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The end of the JVM: what detectors have found, and not told yet, is told. Where the logger was
 * used before, it may have ended by then; where it was not, it works. A logger that waits holds the
 * end up for a moment only: a thread of its own, which the end does not wait for, calls it.
 *
 * <p>Thread-safe: guarded by the class.
 */
final class LeakExit implements Runnable {
    private static final Set<LeakDetector> DETECTORS =
            Collections.newSetFromMap(new WeakHashMap<>());

    /** Guessed: longer than loggers take to begin on a busy machine. */
    private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private static boolean hooked;

    private LeakExit() {}

    /** Tells of a detector when the JVM ends; nothing keeps it alive. */
    static synchronized void add(LeakDetector detector) {
        DETECTORS.add(detector);
        if (!hooked) {
            hooked = true;
            try {
                Runtime.getRuntime()
                        .addShutdownHook(LibraryThread.daemon("polder-leaks-end", new LeakExit()));
            } catch (IllegalStateException ending) {
                // The JVM ends already: then nobody waits for leaks
            }
        }
    }

    private static synchronized List<LeakDetector> detectors() {
        return new ArrayList<>(DETECTORS);
    }

    @Override
    public void run() {
        try {
            LibraryThread.runFor("polder-leaks-told", LeakExit::tell, PATIENCE_MILLIS);
        } catch (Throwable noThread) {
            // No room for it: then what is untold stays so
        }
    }

    private static void tell() {
        for (LeakDetector each : detectors()) {
            each.end().forEach(LeakDetector::warn);
        }
    }
}
