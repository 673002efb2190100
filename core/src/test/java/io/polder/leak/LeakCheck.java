package io.polder.leak;

/** Checks the invariants of a {@link LeakDetector}. */
final class LeakCheck {
    private LeakCheck() {}

    static void verify(LeakDetector detector) {
        synchronized (detector.sites) {
            long count = 0;
            long bytes = 0;
            for (LeakRecord site : detector.sites.values()) {
                count += site.count();
                bytes += site.bytes();
            }
            boolean all = detector.sites.size() < LeakDetector.SITES_MAX;
            boolean holds =
                    all
                            ? count == detector.leaked && bytes == detector.leakedBytes
                            : count <= detector.leaked && bytes <= detector.leakedBytes;
            if (!holds) {
                throw new AssertionError(
                        "each leak is one of its place: leaked="
                                + detector.leaked
                                + ", leakedBytes="
                                + detector.leakedBytes
                                + ", sites="
                                + detector.sites.values());
            }
        }
    }
}
