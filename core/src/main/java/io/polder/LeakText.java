package io.polder;

import io.polder.event.Printable;

import java.util.Formatter;

/** What a pool has found of its leaks as text, in reports. */
final class LeakText {
    /** So many places that leaked, or have blocks, are shown: guessed, as many as fit a screen. */
    static final int SITES_MAX = 8;

    private LeakText() {}

    /** Writes how many there are, and the places that leaked most. */
    static void write(Formatter out, PoolStatistics.Leaks leaks) {
        out.format(
                "  %d found, %s, %d watched now\n",
                leaks.leaked(), PoolReport.size(leaks.leakedBytes()), leaks.watched());
        long listed = 0;
        for (PoolStatistics.Leak site : leaks.sites().stream().limit(SITES_MAX).toList()) {
            listed += site.count();
            out.format(
                    "  %d x %s, %s, last by thread %s:\n",
                    site.count(),
                    site.kind(),
                    PoolReport.size(site.bytes()),
                    Printable.of(site.thread()));
            site.openedAt().forEach(frame -> out.format("      at %s\n", frame));
        }
        if (listed < leaks.leaked()) {
            out.format("  %d from other places\n", leaks.leaked() - listed);
        }
    }
}
