package io.polder.leak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The end of the JVM: what detectors have found, and not told yet, is told. Where the logger was
 * used before, it may have ended by then; where it was not, it works.
 *
 * <p>Thread-safe: guarded by the class.
 */
final class LeakExit extends Thread {
    private static final Set<LeakDetector> DETECTORS =
            Collections.newSetFromMap(new WeakHashMap<>());

    private static boolean hooked;

    private LeakExit() {
        super("polder-leaks-end");
    }

    /** Has a detector told of when the JVM ends; nothing keeps it alive. */
    static synchronized void add(LeakDetector detector) {
        DETECTORS.add(detector);
        if (!hooked) {
            hooked = true;
            try {
                Runtime.getRuntime().addShutdownHook(new LeakExit());
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
        for (LeakDetector each : detectors()) {
            String message = each.end();
            if (message != null) {
                LeakDetector.warn(message);
            }
        }
    }
}
