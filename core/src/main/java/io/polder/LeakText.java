package io.polder;

import io.polder.event.Printable;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;

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
        for (PoolStatistics.LeakSite site : leaks.sites().stream().limit(SITES_MAX).toList()) {
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

    /**
     * What is said of pools that are gone; empty if there are none.
     *
     * @param pools those that are listed, the one that went last first
     * @param forgotten how many there were before them
     */
    static String of(List<FormerPool> pools, long forgotten) {
        if (pools.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        Formatter out = new Formatter(text, Locale.ROOT);
        out.format(
                "Former pools, closed or unreachable, that left leaks: %d\n",
                pools.size() + forgotten);
        for (FormerPool pool : pools) {
            out.format("\nFormer pool %s\n", PoolLabel.of(pool.name(), pool.number()));
            write(out, pool.leaks());
        }
        if (forgotten > 0) {
            out.format("\n%d before them, which are not remembered\n", forgotten);
        }
        return text.toString();
    }
}
