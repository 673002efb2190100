package io.polder.leak;

import java.util.Arrays;

/** Checks the invariants of a {@link LeakDetector}. */
final class LeakCheck {
    private LeakCheck() {}

    static void verify(LeakDetector detector) {
        synchronized (detector.latest) {
            boolean kept = true;
            for (int at = 0; at < LeakDetector.LATEST_MAX; at++) {
                kept &= at >= detector.leaked || detector.latest[at] != null;
            }
            if (!kept || detector.leaked < 0 || detector.leakedBytes < 0) {
                throw new AssertionError(
                        "the latest leaks are kept: leaked="
                                + detector.leaked
                                + ", leakedBytes="
                                + detector.leakedBytes
                                + ", latest="
                                + Arrays.toString(detector.latest));
            }
        }
    }
}
